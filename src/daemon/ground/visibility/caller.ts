import { type Permission, permissions } from '../../../contract/ground/endpoint.js'
import type { Scope } from '../../../contract/platform/auth.js'
import { type Role, rolePermissions } from '../../../contract/platform/roles.js'
import type { Repository } from '../projects/repository.js'

/** The sender of a request and its rights. */
export interface Caller {
  /** Recorded as `changed_by` and `updated_by`. */
  actor: string
  actorType: 'operator' | 'agent' | 'pipeline'
  /** The named agent; undefined if none was named. */
  agentId: string | undefined
  sessionKey: string | undefined
  /** The agent program that calls, such as `claude-code` (header `x-service-harness`). */
  harness?: string | undefined
  /**
   * Canonical key of the project the caller works in (header `x-service-project`); null when it says that it
   * works in none, undefined when it says nothing.
   */
  project?: string | null | undefined
  /** The folder that the header named. */
  folder?: string | undefined
  /** The repository of that folder. */
  repository?: Repository | undefined
  /** Header `x-service-runtime-path`, not validated yet. */
  runtimePath: string | undefined
  /** Claimed by the web page (header `x-service-surface`); only affects events. */
  surface?: 'dashboard' | undefined
  /** A program started by the service itself: its hooks do nothing (header `x-service-no-hooks`). */
  internal: boolean
  requestId: string
  /**
   * Address of the TCP peer; a non-local placeholder once it disconnected; undefined for the service itself.
   */
  peer: string | undefined
  /** The request came through a proxy. */
  forwarded?: boolean
  access: Access
}

/** The author of a change, for histories. */
export type Author = Pick<Caller, 'actor' | 'actorType' | 'sessionKey' | 'requestId'>

/** The owner of rows without a named agent (rules.md 4.3). */
export const defaultAgent = 'default'

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

/** The service itself as the author of background changes. @param actor as named in histories */
export function ownCaller({ newId }: { newId: () => string }, actor: string): Caller {
  return {
    actor,
    actorType: 'pipeline',
    agentId: undefined,
    sessionKey: undefined,
    runtimePath: undefined,
    internal: false,
    requestId: newId(),
    peer: undefined,
    access: fullAccess,
  }
}

/** Autonomous callers may not override protections (rules.md 4.7). */
export function isAutonomous(caller: Caller): boolean {
  return caller.actorType !== 'operator'
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
