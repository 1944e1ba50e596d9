import type { Socket } from 'node:net'
import { networkMark } from '../../lib/workspace/process-mark.js'
import { isRunning, readRegistrationText } from '../../lib/workspace/registration.js'
import type { ExpectedDaemon, Origin } from './origin.js'

/**
 * Makes sure that the program at the other end of a connection is the daemon of the workspace. Call it once
 * the connection is open and before anything is sent.
 *
 * A daemon changes its registration before it gives up its port. So if the registration is as it was and its
 * process runs after the connection was made, the connection leads to that process. That costs two small
 * reads. The daemon answers a challenge if the system does not tell one process from another.
 * @returns true, or a promise of the challenge's outcome. @throws ClientError `daemon_unavailable`.
 */
export function provePeer(socket: Socket, origin: Origin): true | Promise<void> {
  const { expected } = origin
  if (!expected || isProcessProven(expected)) return true
  return import('./challenge.js').then(({ challenge }) => challenge(socket, origin, expected))
}

function isProcessProven({ registered }: ExpectedDaemon): boolean {
  if (!registered) return false
  const { file, text, registration } = registered
  if (registration.process === undefined || registration.network === undefined) return false
  return (
    registration.network === networkMark() && isRunning(registration) && readRegistrationText(file) === text
  )
}
