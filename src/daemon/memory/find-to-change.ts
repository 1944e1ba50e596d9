import type { MemoryRow } from '../../store/tables/memories.js'
import type { ReadBoundary } from '../../store/tables/memory-filter.js'
import type { Tables } from '../../store/tables/tables.js'
import type { Caller } from '../caller.js'

export type Target = { row: MemoryRow } | { refused: 'not_found' | 'scope_violation' }

/**
 * The row that a change is about, soft-deleted ones included. A row that the agent may see but the credential excludes
 * is told apart from none, since a change of it is answered with 403 (contract, memory details).
 */
export async function findToChange(
  tables: Pick<Tables, 'memories'>,
  { access: { scope } }: Caller,
  { only: _only, ...visible }: ReadBoundary,
  id: string,
): Promise<Target> {
  const row = await tables.memories.find(id, visible)
  if (!row) return { refused: 'not_found' }
  const inScope =
    (scope.agent ?? row.agent_id) === row.agent_id &&
    (scope.project ?? row.project) === row.project &&
    (scope.user ?? row.who) === row.who
  return inScope ? { row } : { refused: 'scope_violation' }
}
