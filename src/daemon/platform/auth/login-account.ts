import type { Permission } from '../../../contract/ground/endpoint.js'
import type { Scope } from '../../../contract/platform/auth.js'
import { keyPrefix } from '../../../contract/platform/credential.js'
import type { Role } from '../../../contract/platform/roles.js'
import { isRecord, jsonOf } from '../../../lib/text/json-of.js'
import type { Ground } from '../../ground/ground.js'
import { type Access, accessOf, narrowPermissions } from '../../ground/visibility/caller.js'
import { apiKeyById, findApiKey, hashOf, listOf, noteKeyUse, scopeOf } from './api-key.js'
import type { Auth } from './auth.js'
import { resourcesOf } from './public-address.js'

/** A person or program that may log in, by a credential of the team (team.md). */
export interface LoginAccount {
  /** Names the credential, so that a login ends with it. */
  id: string
  /** Recorded as the author of changes. */
  name: string
  role: Role
  scope: Scope
  /** Limits requests together with the credential. */
  rateKey: string
  permissions: readonly Permission[]
}

type Deps = Pick<Ground, 'store' | 'clock' | 'log'> & { auth: Pick<Auth, 'passwordLogin'> }

const keyAccount = 'key:'
const adminAccount = 'admin:'

/** The account of an API key; undefined when the key is not valid. */
export async function accountOfKey({ store, clock }: Deps, key: string): Promise<LoginAccount | undefined> {
  if (!key.startsWith(keyPrefix)) return undefined
  const row = await findApiKey(store.tables, key, clock())
  return row && accountOfRow(row)
}

/** The account of the password login, once the password was verified. */
export function accountOfAdmin({ auth }: Pick<Deps, 'auth'>): LoginAccount | undefined {
  const login = auth.passwordLogin()
  if (!login) return undefined
  const { username: name, mark } = login
  const permissions = narrowPermissions('admin', null)
  return {
    id: `${adminAccount}${mark()}`,
    name,
    role: 'admin',
    scope: {},
    rateKey: `token ${name}`,
    permissions,
  }
}

/** The account with an id; undefined once its key is revoked or expired, or its password changed. */
export async function accountById(deps: Deps, id: string): Promise<LoginAccount | undefined> {
  if (id.startsWith(adminAccount)) {
    const account = accountOfAdmin(deps)
    return account?.id === id ? account : undefined
  }
  const row = await apiKeyById(deps.store.tables, id.slice(keyAccount.length), deps.clock())
  if (!row) return undefined
  await noteKeyUse(deps, row)
  return accountOfRow(row)
}

function accountOfRow(row: Parameters<typeof scopeOf>[0]): LoginAccount {
  const role = row.role as Role
  return {
    id: `${keyAccount}${row.id}`,
    name: row.name,
    role,
    scope: scopeOf(row),
    rateKey: `key ${row.id}`,
    permissions: narrowPermissions(role, listOf(row)),
  }
}

/**
 * The access of a token that a login gave out; undefined when it is unknown, expired, for another address, or
 * its credential has ended.
 */
export async function accessByLogin(
  deps: Deps,
  token: string,
  address: string | undefined,
): Promise<Access | undefined> {
  if (address === undefined) return undefined
  const now = deps.clock().toISOString()
  const row = await deps.store.tables.oauthRecords.find('AccessToken', hashOf(token), now)
  const payload = row && jsonOf(row.payload)
  if (!isRecord(payload) || typeof payload.accountId !== 'string') return undefined
  if (!resourcesOf(address).includes(String(payload.aud))) return undefined
  const account = await accountById(deps, payload.accountId)
  return account && grantedAccess(account, String(payload.scope ?? '').split(' '))
}

/** The access of an account within the scopes that were granted. */
export function grantedAccess(
  { name, role, scope, rateKey, permissions }: Omit<LoginAccount, 'id'>,
  scopes: readonly string[],
): Access {
  const granted = permissions.filter(permission => scopes.includes(permission))
  return accessOf({
    kind: 'token',
    actor: name,
    rateKey,
    // The role admin means more than its permissions: it bypasses scopes and names any file.
    role: role === 'admin' && !granted.includes('admin') ? 'operator' : role,
    scope,
    permissions: granted,
  })
}
