import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { listOf, rowNumber, unindexed } from '../../sql/dialect.js'
import { memoryBytes, withinBytes } from '../../sql/sized.js'
import { accessesTable } from '../memory/accesses.js'
import { hintsTable } from '../memory/hints.js'
import type { EventRange } from '../memory/history.js'
import { holdersTable } from '../memory/holders.js'
import type { MemoryRow } from '../memory/memories.js'
import { removeVectors } from '../memory/vectors.js'

/** Bytes of text per batch, because copying more would block the event loop. */
const maxBytes = 1024 * 1024

/** The number of rows removed from the ontology. */
export interface DroppedKnowledge {
  mentions: number
  entities: number
}

export function retentionTable(db: Kysely<Schema>) {
  return { ...tombstones(db), ...aged(db) }
}

function tombstones(db: Kysely<Schema>) {
  return {
    /**
     * Returns ids of memories deleted before the given time, oldest deletion first; fewer than `limit` when
     * their texts are long.
     */
    expired: async (before: string, limit: number): Promise<string[]> => {
      const rows = await db
        .selectFrom('memories')
        .select(['id', memoryBytes.as('bytes')])
        .where('deleted_at', '<', before)
        // Keeps the deletion-time index; another one would lead to all deleted rows.
        .where(unindexed<number>('is_deleted'), '=', 1)
        .orderBy('deleted_at')
        .limit(limit)
        .execute()
      return withinBytes(rows, maxBytes)
    },
    /** Returns live memories that expired before a time and are not pinned, the oldest first. */
    expiredBefore: (before: string, limit: number): Promise<MemoryRow[]> =>
      db
        .selectFrom('memories')
        .selectAll()
        .where('expires_at', '<', before)
        // Keeps the index of expiries.
        .where(unindexed<number>('is_deleted'), '=', 0)
        .where(unindexed<number>('pinned'), '=', 0)
        .orderBy('expires_at')
        .limit(limit)
        .execute(),
    deleteVectors: (ids: readonly string[]): Promise<number> => removeVectors(db, ids),
    /** Copies rows with their hints and further holders to cold storage as JSON, replacing earlier copies. */
    copyToCold: async (ids: readonly string[], now: string): Promise<void> => {
      const hints = await hintsTable(db).of(ids)
      const holders = await holdersTable(db).of(ids)
      const stored = await db
        .selectFrom('memories')
        .selectAll()
        .where('id', 'in', [...ids])
        .execute()
      const rows = await accessesTable(db).counted(stored)
      const copies = rows.map(row => {
        const held = holders.get(row.id)
        const record = { ...row, hints: hints.get(row.id) ?? [], ...(held && { holders: held }) }
        return {
          id: row.id,
          agent_id: row.agent_id,
          deleted_at: row.deleted_at ?? now,
          stored_at: now,
          record: JSON.stringify(record),
        }
      })
      await db
        .insertInto('cold_memories')
        .values(copies)
        .onConflict(conflict =>
          conflict.columns(['id', 'deleted_at']).doUpdateSet(eb => ({
            agent_id: eb.ref('excluded.agent_id'),
            stored_at: eb.ref('excluded.stored_at'),
            record: eb.ref('excluded.record'),
          })),
        )
        .execute()
    },
    /** Permanently deletes memories with their hints and holders. */
    deleteMemories: async (ids: readonly string[]): Promise<number> => {
      const { numDeletedRows } = await db
        .deleteFrom('memories')
        .where('id', 'in', [...ids])
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
  }
}

function aged(db: Kysely<Schema>) {
  return {
    /** Counts tombstones older than a time, up to `limit`. */
    dueTombstones: async (before: string, limit: number): Promise<number> => {
      const { rows } = await sql<{ count: number }>`SELECT count(*) AS count
        FROM (SELECT 1 FROM memories WHERE deleted_at < ${before} LIMIT ${limit}) listed`.execute(db)
      return rows[0]?.count ?? 0
    },
    /** Counts jobs that ended before a time, up to `limit`. */
    dueJobs: async (status: 'completed' | 'dead', before: string, limit: number): Promise<number> => {
      const rows = await db
        .selectFrom('jobs')
        .select('id')
        .where('status', '=', status)
        .where('updated_at', '<', before)
        .limit(limit)
        .execute()
      return rows.length
    },
    /** Returns the numbers of events in a range that are older than a time, at most `limit`. */
    oldEvents: async ({ after, upTo }: EventRange, before: string, limit: number): Promise<number[]> => {
      const number = rowNumber('memory_history')
      const { rows } = await sql<{ number: number }>`SELECT ${number} AS number FROM memory_history
        WHERE ${number} > ${after} AND ${number} <= ${upTo} AND created_at < ${before}
        ORDER BY ${number} LIMIT ${limit}`.execute(db)
      return rows.map(row => row.number)
    },
    deleteEvents: async (numbers: readonly number[]): Promise<void> => {
      await db
        .deleteFrom('memory_history')
        .where(rowNumber('memory_history'), 'in', [...numbers])
        .execute()
    },
    /** Deletes jobs that ended before the given time, oldest first, at most `limit`. */
    deleteJobs: async (status: 'completed' | 'dead', before: string, limit: number): Promise<number> => {
      const { numDeletedRows } = await db
        .deleteFrom('jobs')
        .where('id', 'in', eb =>
          eb
            .selectFrom('jobs')
            .select('id')
            .where('status', '=', status)
            .where('updated_at', '<', before)
            .orderBy('updated_at')
            .limit(limit),
        )
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
  }
}

/** Removes permanently deleted memories from the ontology. */
export function knowledgeRetentionTable(db: Kysely<Schema>) {
  return {
    /**
     * Deletes mentions in memories and updates their counts. Entities without mentions are deleted unless
     * pinned or supported by another kind of source. Quotes are erased, but their spans stay. Call it before
     * deleting the memories.
     */
    drop: async (memoryIds: readonly string[]): Promise<DroppedKnowledge> => {
      const ids = listOf(memoryIds)
      const { rows } = await sql<{ id: string }>`SELECT DISTINCT entity_id AS id FROM entity_mentions
        WHERE memory_id IN ${ids}`.execute(db)
      await sql`UPDATE evidence_spans SET quote = '' WHERE source_kind = 'memory' AND source_id IN ${ids}`.execute(
        db,
      )
      if (rows.length === 0) return { mentions: 0, entities: 0 }
      const mentioned = rows.map(({ id }) => id)
      await sql`UPDATE entities SET mentions = mentions - (SELECT count(*) FROM entity_mentions m
          WHERE m.entity_id = entities.id AND m.memory_id IN ${ids})
        WHERE id IN ${listOf(mentioned)}`.execute(db)
      const { numAffectedRows = 0n } =
        await sql`DELETE FROM entity_mentions WHERE memory_id IN ${ids}`.execute(db)
      return { mentions: Number(numAffectedRows), entities: await dropUnsupported(db, mentioned) }
    },
  }
}

/** Deletes the given entities without a source, with their values, links and merged entities. */
async function dropUnsupported(db: Kysely<Schema>, entityIds: readonly string[]): Promise<number> {
  const otherSource = (subject: string) =>
    sql`EXISTS (SELECT 1 FROM evidence_spans s WHERE s.subject_id = ${sql.ref(subject)}
      AND s.source_kind <> 'memory')`
  const { rows } = await sql<{ id: string }>`DELETE FROM entities WHERE id IN ${listOf(entityIds)}
    AND mentions = 0 AND pinned = 0 AND NOT ${otherSource('entities.id')}
    AND NOT EXISTS (SELECT 1 FROM claims c JOIN claim_versions v ON v.claim_id = c.id
      WHERE c.entity_id = entities.id AND ${otherSource('v.id')})
    AND NOT EXISTS (SELECT 1 FROM entity_links l WHERE l.from_id = entities.id AND ${otherSource('l.id')})
    AND NOT EXISTS (SELECT 1 FROM entity_links l WHERE l.to_id = entities.id AND ${otherSource('l.id')})
    RETURNING id`.execute(db)
  await sql`DELETE FROM entities WHERE merged_into IN ${listOf(rows.map(({ id }) => id))}`.execute(db)
  return rows.length
}
