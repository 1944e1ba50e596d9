import { setTimeout as sleep } from 'node:timers/promises'
import { type WorkspacePaths, workspacePaths } from '../../lib/workspace/paths.js'
import { isAlive } from '../../lib/workspace/registration.js'
import { isNewer, version } from '../../lib/workspace/version.js'
import type { CallOptions } from '../http/call-options.js'
import { ClientError } from '../http/client-error.js'
import type { Origin } from '../http/origin.js'
import { type FoundDaemon, findDaemon } from './find-daemon.js'
import { unusableWorkspace } from './locate.js'
import { isUp } from './probe.js'
import { takeStartLock } from './start-lock.js'
import { stopDaemon } from './stop-daemon.js'

export type EnsureOptions = Pick<CallOptions, 'workspace' | 'autostart' | 'onWait'> & {
  /** Flags for a newly started daemon process. */
  daemonFlags?: readonly string[]
}

/** Remaining budget of one command for getting a daemon. */
interface Attempt {
  paths: WorkspacePaths
  /** Milliseconds since the epoch. */
  deadline: number
  onWait: (what: string) => void
  launchesLeft: number
  replacementsLeft: number
  daemonFlags: readonly string[] | undefined
}

/** Time limit from the first probe to a ready daemon. */
const startTimeoutMs = 60_000
const pollMs = 25

/**
 * The slow path: finds the daemon with a probe, starts or replaces it if needed, and waits until it is ready.
 * Only a strictly newer client replaces a daemon, at most once per command. Two installed versions in
 * alternation therefore cost restarts, but never loop.
 * @throws ClientError `daemon_not_started`, `daemon_unavailable`, `foreign_process`, `launch_failed` or
 * `invalid_environment`.
 */
export async function ensureDaemon(options: EnsureOptions = {}): Promise<Origin> {
  if (process.env.CODEX_SANDBOX_NETWORK_DISABLED) return findFromSandbox(options)
  const mayStart = options.autostart ?? process.env.SERVICE_NO_AUTOSTART !== '1'
  const attempt: Attempt = {
    paths: workspacePaths(options.workspace),
    deadline: Date.now() + startTimeoutMs,
    onWait: options.onWait ?? (() => {}),
    launchesLeft: mayStart ? 3 : 0,
    replacementsLeft: mayStart ? 1 : 0,
    daemonFlags: options.daemonFlags,
  }
  while (Date.now() < attempt.deadline) {
    const found = await findDaemon(attempt.paths)
    if (found && !(await shouldReplace(attempt, found))) {
      if (await waitUntilReady(attempt, found)) return found.origin
      continue
    }
    if (!mayStart) throw notStarted(attempt.paths)
    await startUnderLock(attempt)
  }
  throw tooSlow(attempt.paths)
}

/** Codex runs commands without a network, where a new daemon would be of no use to anybody. */
async function findFromSandbox({ workspace }: EnsureOptions): Promise<Origin> {
  const found = await findDaemon(workspacePaths(workspace)).catch(() => undefined)
  if (found) return found.origin
  throw new ClientError('this sandbox has no network, so the daemon cannot be reached', {
    code: 'daemon_unavailable',
    nextSteps: ['Use the MCP tools memory_search and memory_store instead'],
  })
}

async function shouldReplace({ replacementsLeft }: Attempt, { health }: FoundDaemon): Promise<boolean> {
  return replacementsLeft > 0 && (await isNewer(version, health.version))
}

/** Starts or replaces the daemon, or waits a moment while another process does. */
async function startUnderLock(attempt: Attempt): Promise<void> {
  const { paths, onWait } = attempt
  const release = startLockOf(paths)
  if (!release) {
    onWait('waiting for another command to start the daemon')
    await sleep(pollMs)
    return
  }
  try {
    // Another process may have started or replaced it before this one got the lock.
    const found = await findDaemon(paths)
    if (found && !(await shouldReplace(attempt, found))) return
    if (found) {
      attempt.replacementsLeft--
      onWait(`replacing daemon ${found.health.version} with ${version}`)
      await stopDaemon(found)
    }
    if (attempt.launchesLeft === 0) throw await endsEachTime(paths)
    attempt.launchesLeft--
    onWait('starting the daemon')
    // Loaded on demand, because only starting a process needs execa.
    const { startDaemon } = await import('./start-daemon.js')
    if (!(await startDaemon(paths, attempt))) attempt.launchesLeft++
  } finally {
    release()
  }
}

/**
 * @throws ClientError `invalid_environment` if the lock cannot be written because the workspace is unusable.
 */
function startLockOf(paths: WorkspacePaths): (() => void) | undefined {
  try {
    return takeStartLock(paths.startLock)
  } catch (error) {
    throw unusableWorkspace(paths, error) ?? error
  }
}

/** @returns false if the daemon ended before it was ready. @throws ClientError `launch_failed` on timeout. */
async function waitUntilReady(
  { paths, deadline, onWait }: Attempt,
  { origin, health }: FoundDaemon,
): Promise<boolean> {
  while (!(await isUp(origin))) {
    if (Date.now() > deadline) throw tooSlow(paths)
    if (!isAlive(health.pid)) return false
    onWait('waiting for the daemon to load')
    await sleep(pollMs)
  }
  return true
}

function notStarted(paths: WorkspacePaths): ClientError {
  const isForbidden = process.env.SERVICE_NO_AUTOSTART === '1'
  const why = isForbidden ? ', and SERVICE_NO_AUTOSTART=1 prevents starting one' : ''
  return new ClientError(`no daemon is running for ${paths.root}${why}`, {
    code: 'daemon_not_started',
    nextSteps: ['memory daemon start', ...(isForbidden ? ['or unset SERVICE_NO_AUTOSTART'] : [])],
  })
}

/** The daemon registers but ends when it opens the database, so another attempt would not help. */
async function endsEachTime(paths: WorkspacePaths): Promise<ClientError> {
  const { launchLogTail } = await import('./launch.js')
  const tail = launchLogTail(paths)
  return new ClientError(`the daemon of ${paths.root} exits each time it starts`, {
    code: 'launch_failed',
    details: tail.map(message => ({ path: '', message })),
    nextSteps: [
      'memory health',
      `read ${paths.launchLog}`,
      'memory daemon run   starts it in the foreground',
    ],
  })
}

function tooSlow(paths: WorkspacePaths): ClientError {
  return new ClientError(`the daemon of ${paths.root} was not ready within ${startTimeoutMs / 1000} s`, {
    code: 'launch_failed',
    nextSteps: ['memory daemon status', 'memory daemon logs', `read ${paths.launchLog}`],
  })
}
