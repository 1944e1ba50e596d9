import type { Reply, Request } from '../../../contract/api.js'
import { AppError } from '../../../contract/ground/errors.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { mintToken } from '../auth/token.js'
import type { Daemon } from '../daemon/daemon.js'

/**
 * Exchanges the admin password for a session token (security.md 5.3).
 * @throws AppError `login_disabled` when no password is configured, `invalid_credentials` for a wrong name or
 * password, `rate_limited` after too many failures from unknown networks
 */
export async function login(
  deps: Pick<Daemon, 'auth' | 'clock' | 'configuration' | 'log'>,
  { peer }: Pick<Caller, 'peer'>,
  { username, password }: NonNullable<Request<'POST /api/auth/login'>['body']>,
): Promise<Reply<'POST /api/auth/login'>> {
  const known = deps.auth.passwordLogin()
  if (!known)
    throw new AppError('login_disabled', 'password login is not configured: no admin password is set')
  const succeeded = deps.auth.logins.begin(peer)
  if (!(await known.verify(username, password))) {
    // The name is not logged: it may be a password typed into the wrong field.
    deps.log.warn({ audit: 'login-failed', peer }, 'wrong user name or password')
    throw new AppError('invalid_credentials', 'the user name or the password is wrong')
  }
  succeeded()
  const ttl = deps.configuration().settings.auth.sessionTokenTtlSeconds
  const session = mintToken(deps, { sub: known.username, role: 'admin', scope: {} }, ttl)
  deps.log.info({ audit: 'login', actor: known.username, peer }, 'logged in')
  return { ...session, role: 'admin', username: known.username }
}
