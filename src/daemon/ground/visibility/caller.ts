import type { Repository } from '../projects/repository.js'
import { type Access, fullAccess } from './access.js'

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
