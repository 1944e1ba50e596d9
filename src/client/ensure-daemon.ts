import { setTimeout as sleep } from 'node:timers/promises'
import { type WorkspacePaths, workspacePaths } from '../lib/paths.js'
import { isAlive } from '../lib/registration.js'
import { version } from '../lib/version.js'
import type { CallOptions } from './call.js'
import { ClientError } from './client-error.js'
import { compareVersions } from './compare-versions.js'
import { type FoundDaemon, findDaemon, otherPortSteps } from './find-daemon.js'
import type { Origin } from './http.js'
import { isReady } from './probe.js'
import { takeStartLock } from './start-lock.js'
import { stopDaemon } from './stop-daemon.js'

export type EnsureOptions = Pick<CallOptions, 'workspace' | 'autostart' | 'onWait'>

/** From the first look to a daemon that answers everything. */
const startTimeoutMs = 60_000
const pollMs = 25
/** Exit codes of the daemon process that mean more than "failed". */
const exitWorkspaceServed = 3
const exitPortTaken = 4

/**
 * The slow way: finds the daemon by asking, starts one when there is none, replaces an older one, and waits
 * until it is ready.
 *
 * Only a strictly newer client replaces a daemon, at most once per command: two installed versions that take
 * turns can cost a restart, never a loop.
 * @throws ClientError `daemon_not_started`, `foreign_process` or `launch_failed`.
 */
export async function ensureDaemon(options: EnsureOptions = {}): Promise<Origin> {
  const paths = workspacePaths(options.workspace)
  const deadline = Date.now() + startTimeoutMs
  const mayStart = options.autostart ?? process.env.SERVICE_NO_AUTOSTART !== '1'
  let replaced = false
  while (Date.now() < deadline) {
    const found = await findDaemon(paths)
    const isOlder = found !== undefined && compareVersions(version, found.health.version) > 0
    if (found && !(isOlder && mayStart && !replaced)) return waitUntilReady(paths, found, deadline, options)
    if (!mayStart) throw notStarted(paths)
    const release = takeStartLock(paths.startLock)
    if (!release) {
      options.onWait?.('waiting for another command that starts the daemon')
      await sleep(pollMs)
      continue
    }
    try {
      // Somebody may have started or replaced it between the look and the lock.
      const now = await findDaemon(paths)
      if (now && compareVersions(version, now.health.version) > 0) {
        await retire(paths, now, options)
        replaced = true
      }
      if (!now || replaced) await start(paths, deadline, options)
    } finally {
      release()
    }
  }
  throw tooSlow(paths)
}

async function retire(paths: WorkspacePaths, found: FoundDaemon, { onWait }: EnsureOptions): Promise<void> {
  onWait?.(`replacing the daemon ${found.health.version} of ${paths.root} by ${version}`)
  await stopDaemon(found)
}

/** Starts a daemon and waits until it listens; returns as well when another one serves the workspace by now. */
async function start(paths: WorkspacePaths, deadline: number, { onWait }: EnsureOptions): Promise<void> {
  onWait?.('starting the daemon')
  const { launch, launchLogTail } = await import('./launch.js')
  const child = launch(paths)
  while (Date.now() < deadline) {
    const exitCode = child.exitCode()
    if (exitCode !== undefined) return explainExit(paths, exitCode, launchLogTail(paths))
    if (await isListening(paths, child.pid)) return
    await sleep(pollMs)
  }
}

async function isListening(paths: WorkspacePaths, pid: number): Promise<boolean> {
  const { readRegistration } = await import('../lib/registration.js')
  return readRegistration(paths.registration)?.pid === pid
}

function explainExit(paths: WorkspacePaths, exitCode: number, tail: string[]): void {
  if (exitCode === exitPortTaken) {
    const port = Number(/\bport (\d+)/.exec(tail.join(' '))?.[1] ?? 3850)
    throw new ClientError(tail.at(-1) ?? 'the port of the daemon is taken', {
      code: 'foreign_process',
      nextSteps: otherPortSteps(port, 'stop that process'),
    })
  }
  // Lost a race against a start without our lock: the other daemon is as good, once it registers.
  if (exitCode === exitWorkspaceServed) return
  throw new ClientError(`the daemon ended with code ${exitCode} while it started`, {
    code: 'launch_failed',
    details: tail.map(message => ({ path: '', message })),
    nextSteps: [`read ${paths.launchLog}`, 'memory daemon run   shows the start in the foreground'],
  })
}

async function waitUntilReady(
  paths: WorkspacePaths,
  { origin, health }: FoundDaemon,
  deadline: number,
  { onWait }: EnsureOptions,
): Promise<Origin> {
  while (!(await isReady(origin))) {
    if (Date.now() > deadline) throw tooSlow(paths)
    if (!isAlive(health.pid)) throw vanished(paths, health.pid)
    onWait?.('waiting until the daemon has loaded')
    await sleep(pollMs)
  }
  return origin
}

function vanished(paths: WorkspacePaths, pid: number): ClientError {
  return new ClientError(`the daemon (pid ${pid}) ended while it loaded`, {
    code: 'launch_failed',
    nextSteps: [`read ${paths.log}`, `read ${paths.launchLog}`],
  })
}

function notStarted(paths: WorkspacePaths): ClientError {
  return new ClientError(`no daemon serves ${paths.root}, and SERVICE_NO_AUTOSTART=1 forbids to start one`, {
    code: 'daemon_not_started',
    nextSteps: ['memory daemon start', 'or unset SERVICE_NO_AUTOSTART'],
  })
}

function tooSlow(paths: WorkspacePaths): ClientError {
  return new ClientError(`no daemon of ${paths.root} was ready within ${startTimeoutMs / 1000} s`, {
    code: 'launch_failed',
    nextSteps: ['memory daemon status', 'memory daemon logs', `read ${paths.launchLog}`],
  })
}
