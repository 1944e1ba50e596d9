import { mkdir, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Logger } from 'pino'
import { type TokenClaims, tokenClaims } from '../../../contract/platform/auth.js'
import { keyPrefix } from '../../../contract/platform/credential.js'
import type { Role } from '../../../contract/platform/roles.js'
import { type SpooledHook, spooledHook } from '../../../contract/sessions/harness-hook.js'
import {
  findHarnessHook,
  type HarnessHook,
  isDialectHarness,
  pluginHarnesses,
} from '../../../contract/sessions/harness-names.js'
import { renamePatiently } from '../../../lib/files/patient-rename.js'
import { putInSpool, spooledFiles } from '../../../lib/files/spool.js'
import { storageFault } from '../../../lib/files/storage-fault.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import type { Timers } from '../../../lib/time/timers.js'
import { listOf } from '../../platform/auth/api-key.js'
import { mintToken } from '../../platform/auth/token.js'
import type { AskSelf, SelfClient } from '../../platform/daemon/ask-self.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createPeriodicWork } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { dialectOf } from './dialects.js'
import { askHook, type HookAnswer, outcomeOf, type RelayDeps, relayHook } from './relay-hook.js'
import type { SessionFiles } from './session-files.js'

type Deps = Pick<Daemon, 'store' | 'auth' | 'clock' | 'log' | 'paths'>

export interface HookSpoolOptions extends Pick<RelayDeps, 'heard'> {
  held: UnwrittenHooks
  /** Calls the daemon's own API with the identity of a client. */
  askAs(client: SelfClient): AskSelf
  files: SessionFiles
  timers?: Timers
}

/** Hooks that could not be written to a full disk, by the id of their future file. */
export type UnwrittenHooks = Map<string, SpooledHook>

/** A queued hook is short, except for a summary. */
const maxHeld = 200
const maxHeldLength = 256 * 1024

/**
 * Delivers hooks that could not reach the daemon, in their original order, each until it succeeds once. A
 * hook that can never succeed moves to the folder `failed`; one that may succeed later blocks those after it.
 */
export function createHookSpool(deps: Deps, options: HookSpoolOptions): Worker {
  const work = createPeriodicWork({
    run: signal => drain(deps, options, signal),
    onError: error => deps.log.warn({ err: error }, 'delivery of queued hooks failed'),
    timers: options.timers,
  })
  return {
    ...work,
    // Hooks refused because writes were frozen or the disk full need not wait for the next minute.
    hear: event => {
      if (event !== 'embeddable') work.wake()
    },
  }
}

/**
 * Queues a hook of the daemon's own callers, as `memory hook` does; on a full disk, in memory until there is
 * space.
 */
export function spoolFailedHook(
  { paths, log, newId, held }: Pick<Daemon, 'paths' | 'log' | 'newId'> & Pick<HookSpoolOptions, 'held'>,
  entry: SpooledHook,
): void {
  const { harness, hook } = entry
  const id = newId()
  try {
    if (putInSpool(paths.hookSpool, id, entry)) log.info({ harness, hook }, 'hook queued for later')
    else log.warn({ harness, hook }, 'hook lost: the queue is full')
  } catch (error) {
    const problem = storageFault(error)
    if (!problem) throw error
    const isHeld = held.size < maxHeld && entry.input.length <= maxHeldLength
    if (isHeld) held.set(id, entry)
    log.warn(
      { harness, hook, problem },
      isHeld ? 'hook kept in memory until the disk has space' : 'hook lost',
    )
  }
}

/** Throws node's error while the disk is full; the remaining hooks stay in memory. */
function spoolHeld({ paths: { hookSpool } }: Deps, held: UnwrittenHooks): void {
  for (const [id, entry] of held) {
    putInSpool(hookSpool, id, entry)
    held.delete(id)
  }
}

async function drain(deps: Deps, options: HookSpoolOptions, signal: AbortSignal): Promise<void> {
  const { hookSpool } = deps.paths
  spoolHeld(deps, options.held)
  for (const name of spooledFiles(hookSpool)) {
    if (signal.aborted) return
    const file = join(hookSpool, name)
    const outcome = await deliver(deps, options, file)
    if (outcome === 'later') return
    if (outcome === 'done') await rm(file, { force: true, maxRetries: 5 })
    else await setAside(deps.log, file, outcome.failed)
  }
}

type Outcome = 'done' | 'later' | { failed: string }

async function deliver(
  deps: Deps,
  { askAs, files, heard }: HookSpoolOptions,
  file: string,
): Promise<Outcome> {
  const entry = await readEntry(file)
  if (!entry) return { failed: 'the file is not a valid hook' }
  const { harness, hook: name } = entry
  const hook = findHarnessHook(name)
  if (!hook || !(isDialectHarness(harness) || pluginHarnesses.has(harness)))
    return { failed: 'its harness or hook is unknown' }
  const client = await clientOfSpooled(deps, entry)
  if (!client) return { failed: 'its credential is no longer valid' }
  const relays = {
    ask: askAs(client),
    log: deps.log,
    heard,
    starts: undefined,
    owed: undefined,
    clocks: undefined,
  }
  const outcome = await relayQueued({ ...relays, files: entry.elsewhere ? undefined : files }, entry, hook)
  if (outcome === 'later') return 'later'
  return outcome === 'served' ? 'done' : { failed: 'it was refused' }
}

/** A plugin's hook already has the API's body. */
async function relayQueued(
  deps: RelayDeps,
  { harness, input: text, time }: SpooledHook,
  hook: HarnessHook,
): Promise<HookAnswer['outcome']> {
  const input = jsonOf(text)
  if (isDialectHarness(harness))
    return (await relayHook(deps, { dialect: dialectOf(harness), hook, input, time })).outcome
  return outcomeOf(
    await askHook(deps, { harness, hook }, { ...(input as object), harness, capturedAt: time }),
  )
}

async function readEntry(file: string): Promise<SpooledHook | undefined> {
  return spooledHook.safeParse(jsonOf(await readFile(file, 'utf8'))).data
}

async function setAside(log: Logger, file: string, why: string): Promise<void> {
  const folder = join(dirname(file), 'failed')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await renamePatiently(file, join(folder, basename(file)))
  log.warn({ file: basename(file), why }, 'queued hook could not be delivered')
}

type ClientDeps = Pick<Daemon, 'store' | 'auth' | 'clock'>

type Identity = Pick<TokenClaims, 'sub' | 'role'> & { scope: NonNullable<TokenClaims['scope']> }

const tokenTtlSeconds = 60

/**
 * Returns the identity for delivering a queued hook. Only the workspace owner and its daemon can write to the
 * queue, and both could sign tokens, so the recorded caller is trusted while its credential is valid. A
 * caller from another machine is still treated as remote, like one behind a proxy.
 * @returns undefined when the credential is no longer valid.
 */
async function clientOfSpooled(deps: ClientDeps, entry: SpooledHook): Promise<SelfClient | undefined> {
  const said = {
    ...(entry.agent && { 'x-service-agent-id': Buffer.from(entry.agent).toString('latin1') }),
    ...(entry.elsewhere && { forwarded: 'for=unknown' }),
  }
  const peer = '127.0.0.1'
  if (!entry.credential) return { headers: said, peer }
  const identity = entry.credential.startsWith(keyPrefix)
    ? await identityOfKey(deps, entry.credential)
    : identityOfClaims(entry.credential, entry.time)
  if (!identity) return undefined
  const { token } = mintToken(deps, identity, tokenTtlSeconds)
  return { headers: { ...said, authorization: `Bearer ${token}` }, peer }
}

async function identityOfKey({ store, clock }: ClientDeps, prefix: string): Promise<Identity | undefined> {
  const [row, another] = await store.tables.apiKeys.byIdOrPrefix(prefix)
  if (!row || another || row.revoked_at !== null) return undefined
  if (row.expires_at !== null && row.expires_at <= clock().toISOString()) return undefined
  // Tokens have no own list of permissions, and hook reports are saved as memories, so the key must allow
  // `remember`.
  if (listOf(row)?.includes('remember') === false) return undefined
  const scope = {
    ...(row.agent_id !== null && { agent: row.agent_id }),
    ...(row.project !== null && { project: row.project }),
    ...(row.user !== null && { user: row.user }),
  }
  return { sub: row.name, role: row.role as Role, scope }
}

/** The claims of a token that was valid at the time of the call. */
function identityOfClaims(encoded: string, time: string): Identity | undefined {
  const { data } = tokenClaims.safeParse(jsonOf(Buffer.from(encoded, 'base64url').toString('utf8')))
  if (!data || data.exp * 1000 <= Date.parse(time)) return undefined
  return { sub: data.sub, role: data.role, scope: data.scope ?? {} }
}
