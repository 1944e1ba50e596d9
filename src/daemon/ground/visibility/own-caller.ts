import { fullAccess } from './access.js'
import type { Caller } from './caller.js'

/** The service itself, as the author of what it does in the background. @param actor as history names it */
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
