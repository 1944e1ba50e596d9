import { createPublicKey, verify } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type AvailableRelease,
  type DescribedRelease,
  registryPackage,
  releaseManifest,
  type UpdateChannel,
} from '../../../contract/operations/updates.js'
import { homeIfKnown } from '../../../lib/files/folders.js'
import { isLoopback } from '../../../lib/network/is-loopback.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import { unscannedLine } from '../../../lib/text/one-line.js'
import { packageName } from '../../../lib/workspace/version.js'
import { ApiFault } from '../../ground/fetch/api-faults.js'
import { type ExchangeReply, exchange, openConnection, urlWithoutQuery } from '../../ground/fetch/exchange.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { UpdateFault } from './update-state.js'

type Deps = Pick<Daemon, 'configuration' | 'environment'>

const publicRegistry = 'https://registry.npmjs.org/'
const deadlineMs = 15_000
/** A registry answers with all versions of a package. */
const maxReplyBytes = 16 * 1024 * 1024
const maxNotes = 20_000
/** DER prefix of an Ed25519 key; its 32 bytes follow. */
const ed25519Prefix = Buffer.from('302a300506032b6570032100', 'hex')

/** The newest release of a channel. Its files are known only from a manifest. */
export interface Release extends AvailableRelease {
  assets: DescribedRelease['assets']
  /** Base of relative file addresses. */
  base: URL | undefined
}

/**
 * The address to query: the configured manifest, or npm's registry if it is trusted.
 * @throws UpdateFault `check_failed`
 */
export async function releaseAddress(deps: Deps): Promise<URL> {
  const { manifestUrl, trustRegistry } = deps.configuration().settings.update
  if (manifestUrl !== undefined) return new URL(manifestUrl)
  if (!trustRegistry)
    throw new UpdateFault(
      'check_failed',
      'no release source is configured: set update.manifestUrl in agent.yaml, best with update.manifestKey; with update.trustRegistry: true the npm package of this name is installed without a check of its publisher',
    )
  const { environment } = deps
  const named =
    environment.npm_config_registry || environment.NPM_CONFIG_REGISTRY || (await registryOfUser(environment))
  const registry = named || publicRegistry
  if (!URL.canParse(registry) || !/^https?:$/u.test(new URL(registry).protocol))
    throw new UpdateFault(
      'check_failed',
      'the registry configured for npm is not a valid address; see npm config get registry',
    )
  const { protocol, hostname } = new URL(registry)
  if (protocol === 'http:' && !isLoopback(hostname))
    throw new UpdateFault(
      'check_failed',
      'the registry configured for npm is not encrypted, so that anybody on the way could offer a release; see npm config get registry',
    )
  return new URL(encodeURIComponent(packageName), registry.endsWith('/') ? registry : `${registry}/`)
}

/**
 * Finds the newest release of a channel (operations.md 2.1). Redirects are not followed: they could lead to
 * an unconfigured host.
 * @throws UpdateFault `check_failed` without an answer, `manifest_invalid` for an untrusted or malformed one
 */
export async function findRelease(deps: Deps, channel: UpdateChannel): Promise<Release> {
  const { manifestUrl, manifestKey } = deps.configuration().settings.update
  const url = await releaseAddress(deps)
  if (manifestUrl === undefined) return inRegistry(await ask(url), channel)
  const reply = await ask(url)
  if (manifestKey !== undefined) await requireSignature(reply, manifestKey)
  return inManifest(reply, channel)
}

async function ask(url: URL): Promise<ExchangeReply> {
  const agent = await openConnection()
  try {
    const headers = { accept: 'application/json' }
    const reply = await exchange(agent, { url, headers, maxBytes: maxReplyBytes, deadlineMs })
    if (reply.status !== 200)
      throw new UpdateFault(
        'check_failed',
        reply.status === 404
          ? `no release is published at ${urlWithoutQuery(url)}; set update.manifestUrl in agent.yaml to use another address`
          : `${urlWithoutQuery(url)} answered ${reply.status}`,
      )
    return reply
  } catch (error) {
    if (!(error instanceof ApiFault)) throw error
    throw new UpdateFault('check_failed', error.message, { cause: error })
  } finally {
    await agent.destroy()
  }
}

/**
 * The signature of these exact bytes is next to the manifest, in base64. @throws UpdateFault
 * `manifest_invalid`
 */
async function requireSignature({ url, bytes }: ExchangeReply, manifestKey: string): Promise<void> {
  const place = new URL(url)
  place.pathname += '.sig'
  const told = await ask(place).catch((cause: unknown) => {
    throw new UpdateFault('manifest_invalid', `the manifest has no signature at ${urlWithoutQuery(place)}`, {
      cause,
    })
  })
  const der = Buffer.concat([ed25519Prefix, Buffer.from(manifestKey, 'base64')])
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  const signature = Buffer.from(told.bytes.toString('latin1').trim(), 'base64')
  if (signature.length !== 64 || !verify(null, bytes, key, signature))
    throw new UpdateFault(
      'manifest_invalid',
      `the manifest at ${urlWithoutQuery(url)} is not signed with update.manifestKey`,
    )
}

/** @throws UpdateFault `manifest_invalid` */
function inManifest({ url, bytes }: ExchangeReply, channel: UpdateChannel): Release {
  const parsed = releaseManifest.safeParse(jsonOf(bytes.toString('utf8')))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue && issue.path.length > 0 ? ` (${issue.path.join('.')}: ${issue.message})` : ''
    throw new UpdateFault(
      'manifest_invalid',
      `${urlWithoutQuery(url)} did not answer with a release manifest${where}`,
    )
  }
  const release = parsed.data.find(one => one.channel === channel)
  if (!release)
    throw new UpdateFault(
      'manifest_invalid',
      `the manifest at ${urlWithoutQuery(url)} has no release of the channel ${channel}`,
    )
  return {
    version: release.version,
    releaseUrl: release.releaseUrl ?? null,
    releaseNotes: release.releaseNotes?.slice(0, maxNotes) ?? null,
    publishedAt: release.publishedAt ?? null,
    assets: release.assets,
    base: url,
  }
}

/** Reads the channel's dist-tag: `latest` is the stable channel. @throws UpdateFault `check_failed` */
function inRegistry({ url, bytes }: ExchangeReply, channel: UpdateChannel): Release {
  const parsed = registryPackage.safeParse(jsonOf(bytes.toString('utf8')))
  if (!parsed.success)
    throw new UpdateFault('check_failed', `${urlWithoutQuery(url)} did not answer with package data`)
  const tag = channel === 'stable' ? 'latest' : channel
  const version = parsed.data['dist-tags'][tag]
  if (version === undefined || !/^\d+\.\d+\.\d+[0-9A-Za-z.+-]*$/u.test(version))
    throw new UpdateFault(
      'check_failed',
      `${urlWithoutQuery(url)} has no version tagged ${tag}: the channel ${channel} is empty there`,
    )
  const { time, homepage } = parsed.data
  return {
    version,
    releaseUrl:
      homepage !== undefined && /^https?:\/\//u.test(homepage) ? unscannedLine(homepage, 2000) : null,
    releaseNotes: null,
    publishedAt: time?.[version]?.slice(0, 40) ?? null,
    assets: [],
    base: undefined,
  }
}

/** `registry=` of ~/.npmrc, which npm also uses. */
async function registryOfUser(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const home = environment.HOME || environment.USERPROFILE || homeIfKnown()
  const file = environment.npm_config_userconfig || (home && join(home, '.npmrc'))
  const text = file ? await readFile(file, 'utf8').catch(() => '') : ''
  return /^[ \t]*registry[ \t]*=[ \t]*["']?([^\s"']+)/mu.exec(text)?.[1]
}
