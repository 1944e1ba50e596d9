import { agentOf, ownBoundary } from '../../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../../ground/visibility/caller.js'
import type { Reader } from '../evidence/source.js'

/** Whose ontology a request is about, and where. */
export interface NamedPlace {
  agentId?: string | null | undefined
  agent_id?: string | null | undefined
  project?: string | null | undefined
}

/**
 * Who reads an agent's ontology: that agent, for a caller whose credential may confine it.
 * @throws AppError `scope_violation` for an agent or project that the credential excludes.
 */
export function readerOf(caller: Caller, named: NamedPlace): Reader {
  const agentId = agentOf(caller, named) ?? defaultAgent
  return { agentId, boundary: ownBoundary(caller, agentId, named) }
}
