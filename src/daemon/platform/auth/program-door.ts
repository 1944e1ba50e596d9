import type { EndpointShape } from '../../../contract/ground/endpoint.js'
import { AppError } from '../../../contract/ground/errors.js'
import type { Ground } from '../../ground/ground.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from './loopback.js'

/**
 * Refuses callers elsewhere on routes that equal a shell of the daemon's user or give out all secrets: a
 * stolen admin credential must not suffice for either (security.md).
 * @throws AppError `forbidden`
 */
export function assertMayRunPrograms(
  deps: Pick<Ground, 'configuration'>,
  { runsPrograms = false, givesSecrets = false }: EndpointShape,
  { caller, body }: { caller: Pick<Caller, 'peer' | 'forwarded'>; body: unknown },
): void {
  const isShell = typeof runsPrograms === 'function' ? runsPrograms(body as never) : runsPrograms
  if (!(isShell || givesSecrets) || countsAsHere(deps, caller)) return
  const what = isShell ? 'runs programs on' : 'gives out all secrets of'
  throw new AppError(
    'forbidden',
    `this ${what} the machine of the daemon, so only callers on that machine may do it; to allow it to administrators elsewhere, set there: memory config set auth.remoteAdminMayRun true`,
  )
}

/** True for callers on this machine, and for all while `auth.remoteAdminMayRun` is on (permissions.md). */
export function countsAsHere(
  { configuration }: Pick<Ground, 'configuration'>,
  caller: Pick<Caller, 'peer' | 'forwarded'>,
): boolean {
  return isOnThisMachine(caller) || configuration().settings.auth.remoteAdminMayRun
}
