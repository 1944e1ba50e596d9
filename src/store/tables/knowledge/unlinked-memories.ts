import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { flag } from '../../sql/dialect.js'

/** A memory in a walk, and whether it waits to be linked. */
export interface LinkingState {
  id: string
  isUnlinked: boolean
}

/** Finds memories of an agent that are linked to none of its entities. */
export function unlinkedMemoriesTable(db: Kysely<Schema>) {
  return {
    /**
     * Returns the next memories after an id, of any agent. Chunks of documents and unsafe memories are never
     * linked.
     */
    after: async (agentId: string, id: string, limit: number): Promise<LinkingState[]> => {
      const isUnlinked = sql`m.agent_id = ${agentId} AND m.is_deleted = 0 AND m.visibility <> 'archived'
        AND m.type <> 'document_chunk' AND m.safety_status = 'clean' AND NOT EXISTS (
          SELECT 1 FROM entity_mentions n JOIN entities e ON e.id = n.entity_id
          WHERE n.memory_id = m.id AND e.agent_id = ${agentId})`
      const { rows } = await sql<{
        id: string
        unlinked: number
      }>`SELECT m.id, ${flag(isUnlinked)} AS unlinked
        FROM memories m WHERE m.id > ${id} ORDER BY m.id LIMIT ${limit}`.execute(db)
      return rows.map(row => ({ id: row.id, isUnlinked: row.unlinked === 1 }))
    },
  }
}
