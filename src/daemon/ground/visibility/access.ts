import { type Permission, permissions } from '../../../contract/ground/endpoint.js'
import type { Scope } from '../../../contract/platform/auth.js'
import { type Role, rolePermissions } from '../../../contract/platform/roles.js'

/** A scope whose project is the canonical key, with all keys of that project. */
export type AccessScope = Scope & { projectKeys?: readonly string[] }

/** The rights of a request, from its credential or the mode. */
export interface Access {
  credential: 'none' | 'api-key' | 'token'
  /** Recorded as the author of changes: a token's `sub` or a key's name. */
  actor: string
  /** Key for rate limits; unique per key, unlike names. */
  rateKey: string
  role: Role
  permissions: ReadonlySet<Permission>
  /** Empty: unrestricted within the role. Always empty for admins, who bypass scopes (security.md 5.4). */
  scope: AccessScope
  /** The agent of requests that do not name one. */
  agent: string | undefined
}

/** Full rights without a credential: in local mode, and for this machine in hybrid mode (security.md 5.1). */
export const fullAccess: Access = {
  credential: 'none',
  actor: 'anonymous',
  rateKey: 'anonymous',
  role: 'admin',
  permissions: new Set(permissions),
  scope: {},
  agent: undefined,
}

/** No rights: for public routes, where credentials are not checked. */
export const noAccess: Access = { ...fullAccess, role: 'readonly', permissions: new Set() }

export interface Credential {
  kind: 'api-key' | 'token'
  actor: string
  rateKey: string
  role: Role
  scope: Scope
  /** Narrows the role; null leaves it unchanged. */
  permissions: readonly Permission[] | null
}

export function accessOf({ kind, actor, rateKey, role, scope, permissions }: Credential): Access {
  return {
    credential: kind,
    actor,
    rateKey,
    role,
    permissions: new Set(narrowPermissions(role, permissions)),
    scope: role === 'admin' ? {} : scope,
    agent: scope.agent,
  }
}

/** A permission list narrows a role and never widens it (security.md 5.2). */
export function narrowPermissions(role: Role, list: readonly Permission[] | null): Permission[] {
  return rolePermissions[role].filter(permission => list === null || list.includes(permission))
}
