import { setTimeout as sleep } from 'node:timers/promises'
import { exitNoDriver, lastDriverFault } from '../../lib/workspace/driver-fault.js'
import type { WorkspacePaths } from '../../lib/workspace/paths.js'
import { isRunning, readRegistration } from '../../lib/workspace/registration.js'
import { ClientError } from '../http/client-error.js'
import { findDaemon, otherPortSteps } from './find-daemon.js'
import { launch, launchLogTail } from './launch.js'

const pollMs = 25
/** Maximum time until a daemon has registered, if it can. */
const registeredWithinMs = 2_000
/** The winner of a race has the workspace lock for a moment before it registers. */
const lostRacePauseMs = 500
/** Exit codes of the daemon process with a specific meaning. */
const exitUnusable = 2
const exitWorkspaceServed = 3
const exitPortTaken = 4

interface StartOptions {
  /** Milliseconds since the epoch. */
  deadline: number
  launchesLeft: number
  onWait: (what: string) => void
  daemonFlags?: readonly string[] | undefined
}

/**
 * Starts the daemon process and waits until it listens. Also returns when another daemon serves the
 * workspace: it serves just as well once it has registered. A daemon that is shutting down is waited for.
 * @returns false if the launch does not count, because the registered daemon still locked the workspace.
 * @throws ClientError `foreign_process`, `no_driver`, or `launch_failed` with the end of the launch log.
 */
export async function startDaemon(paths: WorkspacePaths, options: StartOptions): Promise<boolean> {
  const { deadline, launchesLeft, daemonFlags } = options
  const child = launch(paths, daemonFlags)
  const askFrom = Date.now() + registeredWithinMs
  while (Date.now() < deadline) {
    const exitCode = child.exitCode()
    if (exitCode === exitWorkspaceServed) {
      if (await waitForHolder(paths, options)) return false
      if (launchesLeft > 0) {
        await sleep(lostRacePauseMs)
        return true
      }
    }
    if (exitCode !== undefined) throw await explainExit(paths, exitCode)
    if (readRegistration(paths.registration)?.pid === child.pid) return true
    // On a full disk the daemon cannot register, but it listens at the configured address.
    if (Date.now() > askFrom) {
      const found = await findDaemon(paths).catch(() => undefined)
      if (found?.health.pid === child.pid) return true
    }
    await sleep(pollMs)
  }
  return true
}

/**
 * Waits while the registered process is alive and does not answer: a daemon that shuts down locks the
 * workspace for up to 15 s. @returns true once the state has changed: it answers, or has ended.
 */
async function waitForHolder(
  paths: WorkspacePaths,
  { deadline, onWait }: Pick<StartOptions, 'deadline' | 'onWait'>,
): Promise<boolean> {
  const registration = readRegistration(paths.registration)
  if (!registration || !isRunning(registration)) return false
  const { pid } = registration
  while (Date.now() < deadline) {
    if (!isRunning(registration) || readRegistration(paths.registration)?.pid !== pid) return true
    if (await findDaemon(paths)) return true
    onWait(`waiting for the daemon (pid ${pid}) to finish its work`)
    await sleep(pollMs)
  }
  return false
}

async function explainExit(paths: WorkspacePaths, exitCode: number): Promise<ClientError> {
  const tail = launchLogTail(paths)
  const last = tail.at(-1) ?? ''
  if (exitCode === exitUnusable && last !== '')
    return new ClientError(last, { code: 'launch_failed', nextSteps: ['memory health'] })
  if (exitCode === exitPortTaken) {
    // Throws a more specific error that names the process, if it can be probed.
    await findDaemon(paths)
    const port = Number(/\bport (\d+)/.exec(last)?.[1])
    const nextSteps = otherPortSteps(port || 3850, 'stop that process')
    return new ClientError(last, { code: 'foreign_process', nextSteps })
  }
  if (exitCode === exitWorkspaceServed) {
    return new ClientError(`${last || 'another daemon uses the workspace'}, and it does not answer`, {
      code: 'launch_failed',
      nextSteps: ['memory daemon status', 'memory daemon logs', 'end the process that uses the workspace'],
    })
  }
  const driver = exitCode === exitNoDriver ? lastDriverFault(paths.launchLog) : undefined
  if (driver) return new ClientError(driver.message, { code: 'no_driver', nextSteps: [driver.nextStep] })
  return new ClientError(`the daemon exited with code ${exitCode} during its start`, {
    code: 'launch_failed',
    details: tail.map(message => ({ path: '', message })),
    nextSteps: [`read ${paths.launchLog}`, 'memory daemon run   starts it in the foreground'],
  })
}
