import type { Reply, Request } from '../../../contract/api.js'
import { AppError } from '../../../contract/ground/errors.js'
import * as contract from '../../../contract/platform/auth.js'
import { rolePermissions } from '../../../contract/platform/roles.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { assertGrantable, createApiKey, revokeApiKey, toApiKey } from '../auth/api-key.js'
import { mintToken } from '../auth/token.js'
import type { Daemon } from '../daemon/daemon.js'
import { route } from '../http/bind.js'

export const routes = [
  route(contract.issueToken, async (daemon, { caller, body }) => {
    const { role } = body
    assertGrantable(caller, rolePermissions[role])
    const [sub, scope] = [body.sub ?? role, body.scope ?? {}]
    const ttl = daemon.configuration().settings.auth.defaultTokenTtlSeconds
    const issued = mintToken(daemon, { sub, role, scope }, ttl)
    daemon.log.info({ audit: 'token-issued', ...auditFields(caller), sub, role, scope }, 'token issued')
    return { ...issued, role, scope, sub }
  }),
  route(contract.whoami, async ({ auth }, { caller }) => {
    const { credential, actor, role, permissions } = caller.access
    const { projectKeys: _internal, ...scope } = caller.access.scope
    const authenticated = credential !== 'none'
    return {
      authenticated,
      mode: auth.mode(),
      actor,
      role,
      scope,
      permissions: [...permissions],
      credential,
    }
  }),
  route(contract.login, (daemon, { caller, body }) => login(daemon, caller, body)),
  route(contract.ssoLogin, async () => ({ status: 'not_implemented' as const })),
  route(contract.samlLogin, async () => ({ status: 'not_implemented' as const })),
  route(contract.createApiKey, async (daemon, { caller, body }) => {
    const created = await createApiKey(daemon, caller, body)
    const { id, name, role, prefix } = created
    daemon.log.info(
      { audit: 'key-created', ...auditFields(caller), id, name, role, prefix },
      'API key created',
    )
    return created
  }),
  route(contract.listApiKeys, async ({ store }) => ({
    keys: (await store.tables.apiKeys.list()).map(toApiKey),
  })),
  route(contract.revokeApiKey, async (daemon, { caller, params }) => {
    const revoked = await revokeApiKey(daemon, params.idOrPrefix)
    daemon.log.info({ audit: 'key-revoked', ...auditFields(caller), id: revoked.id }, 'API key revoked')
    return revoked
  }),
]

/** Actor and address for the audit log. */
function auditFields({ actor, peer }: Caller): Pick<Caller, 'actor' | 'peer'> {
  return { actor, peer }
}

/**
 * Exchanges the admin password for a session token (security.md 5.3).
 * @throws AppError `login_disabled` when no password is configured, `invalid_credentials` for a wrong name or
 * password, `rate_limited` after too many failures from unknown networks
 */
async function login(
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
