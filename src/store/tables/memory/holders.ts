import { type Kysely, type Selectable, sql } from 'kysely'
import type { MemoriesTable, MemoryHoldersTable, Schema } from '../../schema/schema.js'
import { byIndex, flag, listOf, rowNumber } from '../../sql/dialect.js'
import { packedHash } from '../../sql/packed.js'

type MemoryRow = Selectable<MemoriesTable>

const fields = ['memory_id', 'agent_id', 'project', 'scope', 'visibility', 'held_at'] as const

/** Whom a memory is found by: an agent in a project and a scope, told to others or not, and since when. */
export type Holder = Pick<
  Selectable<MemoryHoldersTable>,
  'agent_id' | 'project' | 'scope' | 'visibility' | 'held_at'
>

type StoredHolder = Holder & { memory_id: string }

/** The holder that stands in a memory's own row. */
export function firstHolder(
  row: Pick<MemoryRow, 'agent_id' | 'project' | 'scope' | 'visibility' | 'created_at'>,
): Holder {
  const { agent_id, project, scope, visibility, created_at } = row
  return { agent_id, project, scope, visibility, held_at: created_at }
}

/**
 * Holders of memories beside the first of each, which is in the memory's own row. Whoever changes them gives the row
 * another change number by `recount`: the index looks for it.
 */
export function holdersTable(db: Kysely<Schema>) {
  return {
    /** By memory id, in the order in which they came; memories with none are absent. */
    of: async (ids: readonly string[]): Promise<Map<string, Holder[]>> => {
      const found = new Map<string, Holder[]>()
      if (ids.length === 0) return found
      const { rows } = await sql<StoredHolder>`SELECT ${sql.raw(fields.join(', '))} FROM memory_holders
        WHERE memory_id IN ${listOf(ids)}
        ORDER BY memory_id, ${rowNumber('memory_holders')}`.execute(db)
      for (const { memory_id: id, ...holder } of rows) found.set(id, [...(found.get(id) ?? []), holder])
      return found
    },
    /** Whether any memory has further holders. */
    any: async (): Promise<boolean> => {
      const { rows } = await sql`SELECT 1 FROM memory_holders LIMIT 1`.execute(db)
      return rows.length > 0
    },
    /** Adds a holder, or makes it as visible as it says when it is there. */
    put: async (
      memoryId: string,
      { agent_id, project, scope, visibility, held_at }: Holder,
    ): Promise<void> => {
      await sql`INSERT INTO memory_holders (${sql.raw(fields.join(', '))},
          type, importance, pinned, created_at, tellable)
        SELECT id, ${agent_id}, ${project}, ${scope}, ${visibility}, ${held_at}, type, importance, pinned, created_at,
          ${flag(sql`is_deleted = 0 AND safety_status = 'clean' AND superseded_by IS NULL`)}
        FROM memories WHERE id = ${memoryId}
        ON CONFLICT (memory_id, agent_id, (COALESCE(project, '')), (COALESCE(scope, '')))
          DO UPDATE SET visibility = excluded.visibility`.execute(db)
    },
    remove: async (memoryId: string, { agent_id, project, scope }: Holder): Promise<void> => {
      await db
        .deleteFrom('memory_holders')
        .where('memory_id', '=', memoryId)
        .where('agent_id', '=', agent_id)
        .where('project', 'is not distinct from', project)
        .where('scope', 'is not distinct from', scope)
        .execute()
    },
    /**
     * Makes a holder the first, which stands in the memory's row and not here. The hash goes to the space where others
     * would find it, unless another row has it there. A key belongs to the saves of one agent, visibility and scope.
     * @param row with where it came from as the new first may tell it.
     */
    putFirst: async (row: MemoryRow, holder: Holder): Promise<void> => {
      const { agent_id, project, scope, visibility } = holder
      const space = visibility === 'global' ? '' : agent_id
      const keepsKey = row.agent_id === agent_id && row.visibility === visibility && row.scope === scope
      await sql`UPDATE memories SET agent_id = ${agent_id}, project = ${project}, scope = ${scope},
          visibility = ${visibility}, idempotency_key = ${keepsKey ? row.idempotency_key : null},
          session_id = ${row.session_id}, source_id = ${row.source_id}, source_path = ${row.source_path},
          runtime_path = ${row.runtime_path},
          hash_space = CASE WHEN EXISTS (SELECT 1 FROM ${byIndex('memories', 'memories_hash')}
              WHERE is_deleted = 0 AND content_hash = ${packedHash(row.content_hash)} AND hash_space = ${space} AND id <> ${row.id})
            THEN ${` ${row.id}`} ELSE ${space} END
        WHERE id = ${row.id}`.execute(db)
    },
    /** Notes in the memory's row how many there are: a change for the index, no mutation of the memory, so no new version. */
    recount: async (memoryId: string, change: number): Promise<void> => {
      await sql`UPDATE memories SET change = ${change},
          further_holders = (SELECT count(*) FROM memory_holders WHERE memory_id = ${memoryId})
        WHERE id = ${memoryId}`.execute(db)
    },
  }
}
