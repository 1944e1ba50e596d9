import { setTimeout as sleep } from 'node:timers/promises'
import { workspacePaths } from '../../lib/workspace/paths.js'
import { isAlive, isRunning, readRegistration } from '../../lib/workspace/registration.js'
import { ClientError } from '../http/client-error.js'
import { send } from '../http/send.js'
import { type FoundDaemon, findDaemon } from './find-daemon.js'
import { ownCredential } from './own-credential.js'

const drainTimeoutMs = 20_000
const pollMs = 25

/**
 * Asks a daemon to finish its running work and exit, and waits until its process has ended. Never kills it.
 * @throws ClientError `timeout` if it still runs after 20 s (its own limit is 15 s).
 */
export async function stopDaemon({ origin, health }: FoundDaemon): Promise<void> {
  const credential = () => ownCredential(origin.expected?.workspace)
  await send(origin, 'POST /api/daemon/shutdown', {}, { credential })
  const deadline = Date.now() + drainTimeoutMs
  while (isAlive(health.pid)) {
    if (Date.now() > deadline) throw stillThere(health.pid, `did not stop within ${drainTimeoutMs / 1000} s`)
    await sleep(pollMs)
  }
}

/**
 * Stops the daemon of a workspace.
 * @returns its pid; undefined if none was running.
 * @throws ClientError; also `timeout` if a registered process is alive and does not answer.
 */
export async function stopWorkspaceDaemon(workspace?: string): Promise<number | undefined> {
  const paths = workspacePaths(workspace)
  const found = await findDaemon(paths)
  if (found) {
    await stopDaemon(found)
    return found.health.pid
  }
  const registration = readRegistration(paths.registration)
  if (registration && isRunning(registration))
    throw stillThere(registration.pid, 'is registered but does not answer')
  return undefined
}

function stillThere(pid: number, what: string): ClientError {
  return new ClientError(`the daemon (pid ${pid}) ${what}`, {
    code: 'timeout',
    nextSteps: ['memory daemon logs', `check process ${pid}, and end it yourself if it hangs`],
  })
}
