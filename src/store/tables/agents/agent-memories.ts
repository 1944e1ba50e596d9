import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { byIndex, flag, jsonListOf, listOf, rowNumber, thenJoin } from '../../sql/dialect.js'
import { packedListOf } from '../../sql/packed.js'
import { memoryBytes, type SizedId, withinBytes } from '../../sql/sized.js'
import type { MemoryRow } from '../memory/memories.js'

/** Texts that one slice deletes: freeing their pages takes time. */
const maxBytes = 1024 * 1024

/** What archiving looks at of a memory. */
export type ArchivableMemory = Pick<MemoryRow, 'id' | 'version' | 'further_holders' | 'visibility'>

/** What is written in a row that is archived. */
export interface Archived {
  now: string
  by: string
  /** Of the row, from the change sequence. */
  change: number
}

/** The memories of one agent, found by an index and taken a few at a time. */
export function agentMemoriesTable(db: Kysely<Schema>) {
  return { ...archiving(db), ...purging(db), ...summaries(db) }
}

export const byAgent = byIndex('memories', 'memories_of_agents')

/** As in the condition of that index: `default`, whose nearly all memories are, is never removed. */
export function ofAgent(agentId: string): RawBuilder<SqlBool> {
  return sql`agent_id <> 'default' AND agent_id = ${agentId}`
}

function archiving(db: Kysely<Schema>) {
  return {
    /** Memories that an agent holds first and that are not archived, forgotten ones included. */
    readable: async (agentId: string, limit: number): Promise<ArchivableMemory[]> => {
      const { rows } =
        await sql<ArchivableMemory>`SELECT id, version, further_holders, visibility FROM ${byAgent}
        WHERE ${ofAgent(agentId)} AND visibility IN ('global', 'private')
        LIMIT ${limit}`.execute(db)
      return rows
    },
    /**
     * Nobody reads a row from then on. It takes part in no deduplication, whoever saves the same text again, and has no
     * vector.
     */
    archive: async (id: string, { now, by, change }: Archived): Promise<void> => {
      await sql`UPDATE memories SET visibility = 'archived', hash_space = ${` ${id}`}, idempotency_key = NULL,
          embedding_model = NULL, version = version + 1, updated_at = ${now}, updated_by = ${by}, change = ${change}
        WHERE id = ${id}`.execute(db)
    },
    /** What is left of the holders of archived memories is archived with them. */
    archiveHolders: async (ids: readonly string[]): Promise<void> => {
      await sql`UPDATE memory_holders SET visibility = 'archived' WHERE memory_id IN ${listOf(ids)}`.execute(
        db,
      )
    },
    /** Memories of others that an agent holds too. */
    heldOfOthers: async (agentId: string, limit: number): Promise<string[]> => {
      const { rows } = await sql<{ memory_id: string }>`SELECT DISTINCT memory_id FROM memory_holders
        WHERE agent_id = ${agentId} AND visibility IN ('global', 'private') LIMIT ${limit}`.execute(db)
      return rows.map(row => row.memory_id)
    },
  }
}

function purging(db: Kysely<Schema>) {
  return {
    /** Archived memories of an agent; fewer than `limit` when their texts are long. */
    archived: async (agentId: string, limit: number): Promise<string[]> => {
      const { rows } = await sql<SizedId>`SELECT id, ${memoryBytes} AS bytes FROM ${byAgent}
        WHERE ${ofAgent(agentId)} AND visibility = 'archived' LIMIT ${limit}`.execute(db)
      return withinBytes(rows, maxBytes)
    },
    /** Where memories came from. */
    sourcesOf: (ids: readonly string[]): Promise<Pick<MemoryRow, 'source_type' | 'source_path'>[]> =>
      db
        .selectFrom('memories')
        .select(['source_type', 'source_path'])
        .where('id', 'in', [...ids])
        .execute(),
    /** What happened to memories stays in their history, without a word of theirs. */
    blankHistory: async (ids: readonly string[], reason: string): Promise<void> => {
      await sql`UPDATE memory_history SET old_content = NULL, new_content = NULL, metadata = NULL, reason = ${reason}
        WHERE memory_id IN ${packedListOf('id', ids)}`.execute(db)
    },
    /** Takes copies of an agent's memories out of cold storage. @returns the ids of their memories. */
    dropCold: async (agentId: string, limit: number): Promise<string[]> => {
      const { rows } = await sql<{ id: string }>`DELETE FROM cold_memories WHERE (id, deleted_at) IN (
          SELECT id, deleted_at FROM cold_memories WHERE agent_id = ${agentId} LIMIT ${limit})
        RETURNING id`.execute(db)
      return rows.map(({ id }) => id)
    },
  }
}

/** Saved summaries hold the texts of the memories that they were made from. */
function summaries(db: Kysely<Schema>) {
  return {
    /**
     * Of the next saved summaries, in the order of the table, those of others that were made from archived memories of an
     * agent.
     * @returns them with the place to go on behind; undefined when no summary is left.
     */
    summariesAfter: async (
      agentId: string,
      after: number,
      limit: number,
    ): Promise<{ ids: string[]; last: number } | undefined> => {
      const tells = sql`memories.agent_id <> ${agentId} AND EXISTS (SELECT 1 FROM ${jsonListOf('memories.structured', ['aggregate', 'memories'])} source
        ${thenJoin} memories m ON m.id = source.value
        WHERE m.agent_id = ${agentId} AND m.visibility = 'archived')`
      const place = rowNumber('memories')
      const { rows } = await sql<{ id: string; place: number; told: number }>`
        SELECT id, ${place} AS place, ${flag(tells)} AS told FROM ${byIndex('memories', 'memories_summaries')}
        WHERE source_type = 'recall-aggregate' AND ${place} > ${after} ORDER BY ${place} LIMIT ${limit}`.execute(
        db,
      )
      const last = rows.at(-1)
      return last && { ids: rows.filter(({ told }) => told === 1).map(({ id }) => id), last: last.place }
    },
  }
}
