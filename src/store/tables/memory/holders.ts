import { type Kysely, type Selectable, sql } from 'kysely'
import type { MemoriesTable, MemoryHoldersTable, Schema } from '../../schema/schema.js'
import { byIndex, flag, listOf, rowNumber } from '../../sql/dialect.js'
import { fixedStatement } from '../../sql/fixed-statement.js'
import { packedHash } from '../../sql/packed.js'

type MemoryRow = Selectable<MemoriesTable>

const fields = ['memory_id', 'agent_id', 'project', 'scope', 'visibility', 'held_at'] as const

/** An agent that has a memory, in a project and scope, with its visibility and since when. */
export type Holder = Pick<
  Selectable<MemoryHoldersTable>,
  'agent_id' | 'project' | 'scope' | 'visibility' | 'held_at'
>

type StoredHolder = Holder & { memory_id: string }

/** Returns the first holder, which is stored in the memory's own row. */
export function firstHolder(
  row: Pick<MemoryRow, 'agent_id' | 'project' | 'scope' | 'visibility' | 'created_at'>,
): Holder {
  const { agent_id, project, scope, visibility, created_at } = row
  return { agent_id, project, scope, visibility, held_at: created_at }
}

/**
 * Further holders of memories; the first is in the memory's own row. Call `recount` after each change, as the
 * index follows the row's change number.
 */
export function holdersTable(db: Kysely<Schema>) {
  const one = fixedStatement<undefined, unknown>(
    db,
    () => sql<unknown>`SELECT 1 FROM memory_holders LIMIT 1`,
    'memory_holders',
  )
  return {
    /** Returns further holders by memory id, oldest first; memories without any are absent. */
    of: async (ids: readonly string[]): Promise<Map<string, Holder[]>> => {
      const found = new Map<string, Holder[]>()
      if (ids.length === 0) return found
      const { rows } = await sql<StoredHolder>`SELECT ${sql.raw(fields.join(', '))} FROM memory_holders
        WHERE memory_id IN ${listOf(ids)}
        ORDER BY memory_id, ${rowNumber('memory_holders')}`.execute(db)
      for (const { memory_id: id, ...holder } of rows) found.set(id, [...(found.get(id) ?? []), holder])
      return found
    },
    /** Returns whether any memory has further holders. */
    any: async (): Promise<boolean> => (await one(undefined)).length > 0,
    /** Adds a holder, or updates the visibility of an existing one. */
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
     * Makes a holder the first, in the memory's row. The hash moves to that holder's space unless another row
     * has it there. The idempotency key stays only if agent, visibility and scope are unchanged.
     * @param row with the origin that the new first holder may see.
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
    /** Updates the holder count in the memory's row: a change for the index, but not a new version. */
    recount: async (memoryId: string, change: number): Promise<void> => {
      await sql`UPDATE memories SET change = ${change},
          further_holders = (SELECT count(*) FROM memory_holders WHERE memory_id = ${memoryId})
        WHERE id = ${memoryId}`.execute(db)
    },
  }
}
