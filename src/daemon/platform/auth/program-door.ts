import type { EndpointShape } from '../../../contract/ground/endpoint.js'
import { AppError } from '../../../contract/ground/errors.js'
import type { Ground } from '../../ground/ground.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from './loopback.js'

/**
 * Refuses callers elsewhere on routes that equal a shell of the daemon's user: a stolen admin credential must
 * not suffice to run programs here (security.md).
 * @throws AppError `forbidden`
 */
export function assertMayRunPrograms(
  { configuration }: Pick<Ground, 'configuration'>,
  { runsPrograms = false }: EndpointShape,
  { caller, body }: { caller: Pick<Caller, 'peer' | 'forwarded'>; body: unknown },
): void {
  const isShell = typeof runsPrograms === 'function' ? runsPrograms(body as never) : runsPrograms
  if (!isShell || isOnThisMachine(caller) || configuration().settings.auth.remoteAdminMayRun) return
  throw new AppError(
    'forbidden',
    'this runs programs on the machine of the daemon, so only callers on that machine may do it; to allow it to administrators elsewhere, set there: memory config set auth.remoteAdminMayRun true',
  )
}
