import { agentOf, ownBoundary } from '../../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../../ground/visibility/caller.js'
import type { Reader } from '../evidence/source.js'

/** The agent and project that a request names. */
export interface NamedPlace {
  agentId?: string | null | undefined
  agent_id?: string | null | undefined
  project?: string | null | undefined
}

/**
 * Returns the reader of an agent's ontology within the caller's credential.
 * @throws AppError `scope_violation` for an agent or project outside of the credential
 */
export function readerOf(caller: Caller, named: NamedPlace): Reader {
  const agentId = agentOf(caller, named) ?? defaultAgent
  return { agentId, boundary: ownBoundary(caller, agentId, named) }
}
