import type { Head } from '../projects/repository.js'
import type { Access } from './access.js'

/** Who makes a request, and what it may do. */
export interface Caller {
  /** Recorded as `changed_by` and `updated_by`. */
  actor: string
  actorType: 'operator' | 'agent' | 'pipeline'
  /** The agent that was named; undefined when nobody was. */
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
  /** What its working tree has checked out. */
  head?: Head | undefined
  /** Header `x-service-runtime-path`, not checked yet. */
  runtimePath: string | undefined
  /** The web page says so of itself (header `x-service-surface`); it changes what events tell, nothing else. */
  surface?: 'dashboard' | undefined
  /** A program that the service itself runs: its hooks do nothing (header `x-service-no-hooks`). */
  internal: boolean
  requestId: string
  /** Address of the TCP peer, one that is not local once it is gone; undefined for the service itself. */
  peer: string | undefined
  /** A proxy passed the request on. */
  forwarded?: boolean
  access: Access
}

/** What a history tells of who made a change. */
export type Author = Pick<Caller, 'actor' | 'actorType' | 'sessionKey' | 'requestId'>

/** The agent that rows belong to when none is named (rules.md 4.3). */
export const defaultAgent = 'default'

/** Callers that act on their own may not override protections (rules.md 4.7). */
export function isAutonomous(caller: Caller): boolean {
  return caller.actorType !== 'operator'
}
