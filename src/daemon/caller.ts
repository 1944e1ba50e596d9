/** Who makes a request, as far as the request itself says. */
export interface Caller {
  /** Recorded as `changed_by` and `updated_by`. */
  actor: string
  actorType: 'operator' | 'agent' | 'pipeline'
  /** The agent that was named; undefined when nobody was. */
  agentId: string | undefined
  sessionKey: string | undefined
  requestId: string
}

/** The agent that rows belong to when none is named (spec 1, 4.3). */
export const defaultAgent = 'default'

/** Callers that act on their own may not override protections (spec 1, 4.7). */
export function isAutonomous(caller: Caller): boolean {
  return caller.actorType !== 'operator'
}
