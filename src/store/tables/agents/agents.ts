import { type Insertable, type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { AgentsTable, Schema } from '../../schema/schema.js'
import { byIndex, flag, jsonListOf, listOf, rowNumber, thenJoin } from '../../sql/dialect.js'
import { fixedStatement } from '../../sql/fixed-statement.js'
import { packedListOf } from '../../sql/packed.js'
import { memoryBytes, type SizedId, withinBytes } from '../../sql/sized.js'
import type { MemoryRow } from '../memory/memories.js'

export type AgentRow = Selectable<AgentsTable>

/** Limits the text one slice deletes, because freeing its pages takes time. */
const maxBytes = 1024 * 1024

/** The columns that archiving a memory needs. */
export type ArchivableMemory = Pick<MemoryRow, 'id' | 'version' | 'further_holders' | 'visibility'>

/** The values that archiving writes to a row. */
export interface ArchiveStamp {
  now: string
  by: string
  /** The row's number in the change sequence. */
  change: number
}

export const byAgent = byIndex('memories', 'memories_of_agents')

export function agentsTable(db: Kysely<Schema>) {
  const byId = fixedStatement<string, AgentRow>(
    db,
    ({ value }) => sql`SELECT * FROM agents WHERE id = ${value(id => id)}`,
    'agents',
  )
  return {
    /** A prepared statement, because every save, recall and hook runs it. */
    find: async (id: string): Promise<AgentRow | undefined> => (await byId(id))[0],
    /** Registers a new agent as `shared`; an existing one is unchanged (rules.md 4.3). */
    register: async (id: string, now: string): Promise<void> => {
      await db
        .insertInto('agents')
        .values(firstSeen(id, now))
        .onConflict(conflict => conflict.column('id').doNothing())
        .execute()
    },
    /** Returns all agents in the roster, by name. */
    roster: (): Promise<AgentRow[]> =>
      db.selectFrom('agents').selectAll().where('removal', 'is', null).orderBy('id').execute(),
    /** @returns false when the name is taken. */
    add: async (row: Insertable<AgentsTable>): Promise<boolean> => {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('agents')
        .values(row)
        .onConflict(conflict => conflict.column('id').doNothing())
        .executeTakeFirstOrThrow()
      return numInsertedOrUpdatedRows === 1n
    },
    setPolicy: async (
      id: string,
      policy: Pick<AgentRow, 'read_policy' | 'policy_group'>,
      now: string,
    ): Promise<void> => {
      await db
        .updateTable('agents')
        .set({ ...policy, updated_at: now })
        .where('id', '=', id)
        .execute()
    },
    /** Marks an agent as being removed, which takes it off the roster. @param removal JSON. */
    beginRemoval: async (id: string, removal: string, now: string): Promise<void> => {
      await db
        .insertInto('agents')
        .values({ ...firstSeen(id, now), removal })
        .onConflict(conflict => conflict.column('id').doUpdateSet({ removal, updated_at: now }))
        .execute()
    },
    /** Returns agents whose removal is running or was interrupted. */
    beingRemoved: (): Promise<AgentRow[]> =>
      db.selectFrom('agents').selectAll().where('removal', 'is not', null).orderBy('id').execute(),
    drop: async (id: string): Promise<void> => {
      await db.deleteFrom('agents').where('id', '=', id).execute()
    },
    /** Returns when the database was created, which is also when the agent `default` began. */
    since: async (): Promise<string> => {
      const { rows } = await sql<{ applied_at: string }>`SELECT applied_at FROM migrations
        ORDER BY version LIMIT 1`.execute(db)
      return rows[0]?.applied_at ?? ''
    },
    idsInGroup: async (group: string): Promise<string[]> => {
      const rows = await db.selectFrom('agents').select('id').where('policy_group', '=', group).execute()
      return rows.map(row => row.id)
    },
  }
}

function firstSeen(id: string, now: string): Insertable<AgentsTable> {
  return { id, name: id, read_policy: 'shared', policy_group: null, created_at: now, updated_at: now }
}

/** Finds the memories of one agent through an index, in small batches. */
export function agentMemoriesTable(db: Kysely<Schema>) {
  return { ...archiving(db), ...purging(db), ...summaries(db) }
}

/** Matches the condition of that index. The agent `default` owns nearly all memories and is never removed. */
export function isOwnedBy(agentId: string): RawBuilder<SqlBool> {
  return sql`agent_id <> 'default' AND agent_id = ${agentId}`
}

function archiving(db: Kysely<Schema>) {
  return {
    /** Returns memories owned by an agent that are not archived, forgotten ones included. */
    readable: async (agentId: string, limit: number): Promise<ArchivableMemory[]> => {
      const { rows } =
        await sql<ArchivableMemory>`SELECT id, version, further_holders, visibility FROM ${byAgent}
        WHERE ${isOwnedBy(agentId)} AND visibility IN ('global', 'private')
        LIMIT ${limit}`.execute(db)
      return rows
    },
    /** Hides a row from all readers, from deduplication and from vector search. */
    archive: async (id: string, { now, by, change }: ArchiveStamp): Promise<void> => {
      await sql`UPDATE memories SET visibility = 'archived', hash_space = ${` ${id}`}, idempotency_key = NULL,
          embedding_model = NULL, version = version + 1, updated_at = ${now}, updated_by = ${by}, change = ${change}
        WHERE id = ${id}`.execute(db)
    },
    /** Archives the remaining holders of archived memories too. */
    archiveHolders: async (ids: readonly string[]): Promise<void> => {
      await sql`UPDATE memory_holders SET visibility = 'archived' WHERE memory_id IN ${listOf(ids)}`.execute(
        db,
      )
    },
    /** Returns memories owned by other agents that this agent also has. */
    heldOfOthers: async (agentId: string, limit: number): Promise<string[]> => {
      const { rows } = await sql<{ memory_id: string }>`SELECT DISTINCT memory_id FROM memory_holders
        WHERE agent_id = ${agentId} AND visibility IN ('global', 'private') LIMIT ${limit}`.execute(db)
      return rows.map(row => row.memory_id)
    },
  }
}

function purging(db: Kysely<Schema>) {
  return {
    /** Returns archived memories of an agent; fewer than `limit` when their texts are long. */
    archived: async (agentId: string, limit: number): Promise<string[]> => {
      const { rows } = await sql<SizedId>`SELECT id, ${memoryBytes} AS bytes FROM ${byAgent}
        WHERE ${isOwnedBy(agentId)} AND visibility = 'archived' LIMIT ${limit}`.execute(db)
      return withinBytes(rows, maxBytes)
    },
    sourcesOf: (ids: readonly string[]): Promise<Pick<MemoryRow, 'source_type' | 'source_path'>[]> =>
      db
        .selectFrom('memories')
        .select(['source_type', 'source_path'])
        .where('id', 'in', [...ids])
        .execute(),
    /** Erases the texts in the history of memories; the events themselves remain. */
    blankHistory: async (ids: readonly string[], reason: string): Promise<void> => {
      await sql`UPDATE memory_history SET old_content = NULL, new_content = NULL, metadata = NULL, reason = ${reason}
        WHERE memory_id IN ${packedListOf('id', ids)}`.execute(db)
    },
    /** Deletes an agent's memories from cold storage. @returns the ids of their memories. */
    dropCold: async (agentId: string, limit: number): Promise<string[]> => {
      const { rows } = await sql<{ id: string }>`DELETE FROM cold_memories WHERE (id, deleted_at) IN (
          SELECT id, deleted_at FROM cold_memories WHERE agent_id = ${agentId} LIMIT ${limit})
        RETURNING id`.execute(db)
      return rows.map(({ id }) => id)
    },
  }
}

/** Saved summaries contain the texts of the memories they were made from. */
function summaries(db: Kysely<Schema>) {
  return {
    /**
     * Reads the next saved summaries in table order and picks those of other agents that use archived
     * memories of this agent.
     * @returns their ids and the cursor for the next call; undefined when no summary is left.
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
