import { type TokenClaims, tokenClaims } from '../../../contract/platform/auth.js'
import { keyPrefix } from '../../../contract/platform/credential.js'
import type { Role } from '../../../contract/platform/roles.js'
import type { SpooledHook } from '../../../contract/sessions/harness-hook.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import { listOf } from '../../platform/auth/api-key.js'
import { mintToken } from '../../platform/auth/token.js'
import type { SelfClient } from '../../platform/daemon/ask-self.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'store' | 'auth' | 'clock'>
type Identity = Pick<TokenClaims, 'sub' | 'role'> & { scope: NonNullable<TokenClaims['scope']> }

const tokenTtlSeconds = 60

/**
 * On whose behalf a kept hook is handed over. The owner of the workspace and its daemon alone write to its spool, and
 * both could sign tokens: who the caller was is believed, as long as his credential would still count. Who was elsewhere
 * still is, as one whom a proxy passed on.
 * @returns undefined when it does not.
 */
export async function clientOfSpooled(deps: Deps, entry: SpooledHook): Promise<SelfClient | undefined> {
  const said = {
    ...(entry.agent && { 'x-service-agent-id': Buffer.from(entry.agent).toString('latin1') }),
    ...(entry.elsewhere && { forwarded: 'for=unknown' }),
  }
  const peer = '127.0.0.1'
  if (!entry.credential) return { headers: said, peer }
  const identity = entry.credential.startsWith(keyPrefix)
    ? await identityOfKey(deps, entry.credential)
    : identityOfClaims(entry.credential, entry.time)
  if (!identity) return undefined
  const { token } = mintToken(deps, identity, tokenTtlSeconds)
  return { headers: { ...said, authorization: `Bearer ${token}` }, peer }
}

async function identityOfKey({ store, clock }: Deps, prefix: string): Promise<Identity | undefined> {
  const [row, another] = await store.tables.apiKeys.byIdOrPrefix(prefix)
  if (!row || another || row.revoked_at !== null) return undefined
  if (row.expires_at !== null && row.expires_at <= clock().toISOString()) return undefined
  // A token has no list of permissions of its own; what hooks report is remembered.
  if (listOf(row)?.includes('remember') === false) return undefined
  const scope = {
    ...(row.agent_id !== null && { agent: row.agent_id }),
    ...(row.project !== null && { project: row.project }),
    ...(row.user !== null && { user: row.user }),
  }
  return { sub: row.name, role: row.role as Role, scope }
}

/** The claims of a token that was valid when the hook was called. */
function identityOfClaims(encoded: string, time: string): Identity | undefined {
  const { data } = tokenClaims.safeParse(jsonOf(Buffer.from(encoded, 'base64url').toString('utf8')))
  if (!data || data.exp * 1000 <= Date.parse(time)) return undefined
  return { sub: data.sub, role: data.role, scope: data.scope ?? {} }
}
