import { isDeepStrictEqual } from 'node:util'
import type { Settings } from '../../../contract/settings.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'

/** What to do where `auth` may not be changed. */
export const authElsewhere =
  'auth is changed on the machine of the daemon alone: there, edit agent.yaml or run memory config set auth.KEY VALUE; everything else may be changed here'

/** Whoever got hold of an admin's credential, or of the network, must not be able to let everybody in (security.md). */
export function mayChangeAuth(
  mode: Settings['auth']['mode'],
  caller: Pick<Caller, 'peer' | 'forwarded'>,
): boolean {
  return mode === 'local' && caller.peer !== undefined && isOnThisMachine(caller)
}

interface Loaded {
  /** The file's own values. */
  given?: unknown
  settings: Settings
}

/** Whether one text has another `auth` than the other, keys that nothing reads among it. */
export function changesAuth(before: Loaded, after: Loaded): boolean {
  return !(
    isDeepStrictEqual(before.settings.auth, after.settings.auth) &&
    isDeepStrictEqual(authOf(before.given), authOf(after.given))
  )
}

function authOf(given: unknown): unknown {
  return (given as { auth?: unknown } | null | undefined)?.auth
}
