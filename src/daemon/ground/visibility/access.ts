import { type Permission, permissions } from '../../../contract/ground/endpoint.js'
import type { Scope } from '../../../contract/platform/auth.js'
import { type Role, rolePermissions } from '../../../contract/platform/roles.js'

/** A scope whose project is the canonical key, with all keys of that project. */
export type AccessScope = Scope & { projectKeys?: readonly string[] }

/** What a request may do, by its credential or by the mode. */
export interface Access {
  credential: 'none' | 'api-key' | 'token'
  /** Recorded as the author of changes: the `sub` of a token, the name of a key. */
  actor: string
  /** Rate limits count by it: unlike names, no two keys share it. */
  rateKey: string
  role: Role
  permissions: ReadonlySet<Permission>
  /** Empty: unrestricted within the role. Always empty for admins, who bypass scopes (security.md 5.4). */
  scope: AccessScope
  /** The agent of requests that name none. */
  agent: string | undefined
}

/** Everything, for everybody: local mode, and this machine in hybrid mode (security.md 5.1). */
export const fullAccess: Access = {
  credential: 'none',
  actor: 'anonymous',
  rateKey: 'anonymous',
  role: 'admin',
  permissions: new Set(permissions),
  scope: {},
  agent: undefined,
}

/** No rights: on public routes, where no credential is looked at. */
export const noAccess: Access = { ...fullAccess, role: 'readonly', permissions: new Set() }

export interface Credential {
  kind: 'api-key' | 'token'
  actor: string
  rateKey: string
  role: Role
  scope: Scope
  /** Narrows the role; null leaves it as it is. */
  permissions: readonly Permission[] | null
}

export function accessOf({ kind, actor, rateKey, role, scope, permissions }: Credential): Access {
  return {
    credential: kind,
    actor,
    rateKey,
    role,
    permissions: new Set(narrowed(role, permissions)),
    scope: role === 'admin' ? {} : scope,
    agent: scope.agent,
  }
}

/** A list of permissions narrows a role, it never widens it (security.md 5.2). */
export function narrowed(role: Role, list: readonly Permission[] | null): Permission[] {
  return rolePermissions[role].filter(permission => list === null || list.includes(permission))
}
