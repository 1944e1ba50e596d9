import { createHash } from 'node:crypto'
import { chmod, copyFile, type FileHandle, link, open, readdir, rm, statfs } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Agent, Dispatcher } from 'undici'
import type { ReleaseAsset } from '../../../contract/operations/updates.js'
import { renamePatiently } from '../../../lib/files/patient-rename.js'
import { storageFault } from '../../../lib/files/storage-fault.js'
import { isInTheClear } from '../../../lib/network/is-loopback.js'
import { unusedProxy } from '../../../lib/network/unused-proxy.js'
import { version } from '../../../lib/workspace/version.js'
import { runQuietly } from '../../agents/programs/runs.js'
import { openConnection, urlWithoutQuery } from '../../ground/fetch/exchange.js'
import { followRedirects } from '../../ground/fetch/fetch-url.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Release } from './find-release.js'
import { UpdateFault } from './update-state.js'

const silenceMs = 30_000
/** Free space that must remain after the download. */
const spareBytes = 16 * 1024 * 1024

interface Download {
  asset: Pick<ReleaseAsset, 'sha256' | 'size'>
  url: URL
  /** Target path; synced to disk on success, removed on failure. */
  file: string
  signal: AbortSignal
}

const timeoutMs = 30_000
/**
 * `memory --version` prints `memory-service/1.2.3 linux-x64 node-v20.19.0`; other executables may print only
 * the number.
 */
const versionIn = /(?:^|[\s/@v])(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)(?=$|[\s+])/mu

export interface ObservedVersion {
  /** Null when it did not start, failed, or printed none. */
  version: string | null
  /** Why the version is missing, in words. */
  problem: string
}

/**
 * Downloads a release file and verifies its length and SHA-256.
 * @throws UpdateFault `download_failed`, `checksum_mismatch`, or `install_failed` for a full disk; the
 * signal's reason when that is aborted
 */
async function downloadAsset(download: Download): Promise<void> {
  const { file, asset, signal } = download
  await requireRoom(dirname(file), asset.size)
  const agent = await openConnection({ silenceMs })
  try {
    const reply = await ask(agent, download.url, signal)
    const handle = await open(file, 'wx', 0o700)
    try {
      await writeVerified(reply, handle, asset)
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    await rm(file, { force: true, maxRetries: 5 })
    if (signal.aborted) throw signal.reason
    throw faultOf(error, download.url)
  } finally {
    await agent.destroy()
  }
}

/** Release hosts redirect to their storage, so redirects are followed. */
async function ask(agent: Agent, first: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const headers = { 'user-agent': `memory-service/${version}`, 'accept-encoding': 'identity' }
  const { reply, url } = await followRedirects(requireHttps(first), {
    ask: ({ origin, pathname, search }) =>
      agent.request({ origin, path: pathname + search, method: 'GET', signal, headers }),
    next: (location, from) => requireHttps(new URL(location, from)),
    tooMany: () => new UpdateFault('download_failed', `${urlWithoutQuery(first)} redirects too often`),
  })
  if (reply.statusCode === 200) return reply
  await reply.body.dump()
  throw new UpdateFault('download_failed', `${urlWithoutQuery(url)} answered ${reply.statusCode}`)
}

/** @throws UpdateFault for an address that is not fetched */
function requireHttps(url: URL): URL {
  if (!/^https?:$/u.test(url.protocol) || isInTheClear(url))
    throw new UpdateFault(
      'download_failed',
      `${urlWithoutQuery(url)} is not https: releases are only downloaded over https`,
    )
  return url
}

/** Stops at the expected length, so a longer answer can't fill the disk. */
async function writeVerified(
  reply: Dispatcher.ResponseData,
  handle: FileHandle,
  asset: Download['asset'],
): Promise<void> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of reply.body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > asset.size) break
    hash.update(chunk)
    // `appendFile` writes the whole chunk or throws; a plain write on a full disk may store only a part.
    await handle.appendFile(chunk)
  }
  if (bytes !== asset.size)
    throw new UpdateFault(
      'checksum_mismatch',
      `the download is not ${asset.size} bytes long, as the manifest says`,
    )
  if (hash.digest('hex') !== asset.sha256.toLowerCase())
    throw new UpdateFault('checksum_mismatch', 'the SHA-256 of the download differs from the manifest')
}

async function requireRoom(folder: string, size: number): Promise<void> {
  const free = await statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => Number.POSITIVE_INFINITY,
  )
  if (free < size + spareBytes)
    throw new UpdateFault('install_failed', `the disk of ${folder} has too little space for ${size} bytes`)
}

function faultOf(error: unknown, url: URL): UpdateFault {
  if (error instanceof UpdateFault) return error
  const full = storageFault(error)
  if (full) return new UpdateFault('install_failed', full, { cause: error })
  const { code, message } = error as NodeJS.ErrnoException
  const isOwn = code === 'EACCES' || code === 'EPERM' || code === 'EEXIST'
  if (isOwn)
    return new UpdateFault('install_failed', `the release could not be written: ${code}`, { cause: error })
  return new UpdateFault(
    'download_failed',
    `${urlWithoutQuery(url)} can't be fetched: ${code ?? message}${unusedProxy()}`,
    {
      cause: error,
    },
  )
}

type Deps = Pick<Daemon, 'paths' | 'log' | 'environment'>

/** Suffix of the previous executable, kept next to the new one. */
const keptSuffix = '.previous'
const partSuffix = '.download'

export interface BinaryInstall {
  release: Release
  /** The running executable, with links resolved. */
  executable: string
  signal: AbortSignal
}

/**
 * Replaces the running executable with that of a release. It is downloaded next to it, verified, started once
 * with `--version` and only then renamed, so there is a complete executable at every moment. If the new one
 * doesn't start in its final place, the previous one is restored.
 * @throws UpdateFault with the reason; the previous executable is then in place
 */
export async function installBinary(deps: Deps, install: BinaryInstall): Promise<void> {
  const { release, executable, signal } = install
  const asset = release.assets.find(one => one.platform === process.platform && one.arch === process.arch)
  if (!asset)
    throw new UpdateFault(
      'asset_missing',
      `${release.version} has no file for ${process.platform} ${process.arch}`,
    )
  const part = `${executable}.${release.version}${partSuffix}`
  await sweepParts(executable)
  try {
    await downloadAsset({ asset, url: addressOf(asset.url, release), file: part, signal })
    await chmod(part, 0o755)
    await requireVersion(deps, { executable: part, version: release.version, signal })
    await swap(executable, part)
  } catch (error) {
    await rm(part, { force: true, maxRetries: 5 })
    throw error instanceof UpdateFault ? error : writeFault(error, signal)
  }
  await requireVersion(deps, { executable, version: release.version, signal }).catch(async error => {
    await renamePatiently(`${executable}${keptSuffix}`, executable)
    throw error
  })
}

/** Removes partial downloads of a killed installation. */
export async function sweepParts(executable: string): Promise<void> {
  const folder = dirname(executable)
  const names = await readdir(folder).catch(() => [])
  for (const name of names)
    if (name.startsWith(`${basename(executable)}.`) && name.endsWith(partSuffix))
      await rm(join(folder, name), { force: true, maxRetries: 5 })
}

async function swap(executable: string, part: string): Promise<void> {
  const kept = `${executable}${keptSuffix}`
  await rm(kept, { force: true, maxRetries: 5 })
  if (process.platform === 'win32') {
    // Windows allows renaming a running executable, but not replacing it.
    await renamePatiently(executable, kept)
  } else {
    await link(executable, kept).catch(() => copyFile(executable, kept))
  }
  await renamePatiently(part, executable)
}

async function requireVersion(
  deps: Deps,
  { executable, version, signal }: { executable: string; version: string; signal: AbortSignal },
): Promise<void> {
  const observed = await readInstalledVersion(deps, { executable, signal })
  signal.throwIfAborted()
  if (observed.version === version) return
  const why = observed.version === null ? observed.problem : `it reports version ${observed.version}`
  throw new UpdateFault('verification_failed', `the executable of ${version} was rejected: ${why}`)
}

/** @throws UpdateFault `manifest_invalid` for an invalid address, or one without https */
function addressOf(text: string, { base }: Release): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined
  if (!url || !/^https?:$/u.test(url.protocol))
    throw new UpdateFault(
      'manifest_invalid',
      `${JSON.stringify(text.slice(0, 100))} is not a valid file address`,
    )
  if (isInTheClear(url) || (base && isInTheClear(base)))
    throw new UpdateFault(
      'manifest_invalid',
      `${urlWithoutQuery(url)}: releases and their manifest must use https`,
    )
  return url
}

function writeFault(error: unknown, signal: AbortSignal): UpdateFault {
  if (signal.aborted) return new UpdateFault('install_failed', 'the daemon stopped during the installation')
  const { code, message } = error as NodeJS.ErrnoException
  return new UpdateFault('install_failed', `the executable could not be replaced: ${code ?? message}`, {
    cause: error,
  })
}

/** Runs a program with `--version`. A package script runs on the daemon's own Node. */
export async function readInstalledVersion(
  deps: Deps,
  { executable, signal }: { executable: string; signal: AbortSignal },
): Promise<ObservedVersion> {
  const command = executable.endsWith('.js')
    ? ([process.execPath, executable] as const)
    : ([executable] as const)
  const end = await runQuietly(deps, {
    command: [...command, '--version'] as [string, ...string[]],
    cwd: deps.paths.root,
    timeoutMs,
    signal,
  })
  if (end.status === 'timed_out')
    return { version: null, problem: `it did not finish within ${timeoutMs / 1000} s` }
  if (end.status !== 'exited') return { version: null, problem: end.error ?? 'it could not be started' }
  if (end.code !== 0) return { version: null, problem: `it ended with code ${end.code}` }
  const version = versionIn.exec(end.output)?.[1] ?? null
  return { version, problem: version === null ? 'it printed no version' : '' }
}
