import type { Reply } from '../../../contract/api.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { toClaimValue } from './entities.js'
import { type NamedPlace, readerOf } from './model/reader.js'

type Deps = Pick<Daemon, 'store'>

const maxClaims = 200

/**
 * Lists the facts that a memory supports; empty if the caller may not read the memory.
 * @throws AppError `scope_violation`
 */
export async function claimsOfMemory(
  { store }: Deps,
  caller: Caller,
  { id, ...named }: NamedPlace & { id: string },
): Promise<Reply<'GET /api/ontology/memories/:id/claims'>> {
  const { agentId, boundary } = readerOf(caller, named)
  const rows = await store.tables.claims.saidBy(agentId, id, boundary, maxClaims + 1)
  return {
    memoryId: id,
    claims: rows.slice(0, maxClaims).map(row => ({
      ...toClaimValue(row),
      entity: { id: row.entity_id, name: row.entity_name, type: row.entity_type },
      quote: row.quote,
    })),
    truncated: rows.length > maxClaims,
  }
}
