import { fullAccess } from './access.js'
import type { Caller } from './caller.js'

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
