import { type Kysely, type Selectable, sql } from 'kysely'
import type { SyncMemoriesTable, SyncSegmentsTable, SyncTextsTable } from '../../schema/operations-schema.js'
import type { HistoryTable, MemoriesTable, Schema } from '../../schema/schema.js'
import { flag, listOf } from '../../sql/dialect.js'
import { insertRows } from '../../sql/insert-rows.js'
import { packedListOf } from '../../sql/packed.js'
import { inChangeOrder } from '../memory/change-order.js'

export type SyncMemoryRow = Selectable<SyncMemoriesTable>
export type SyncTextRow = Selectable<SyncTextsTable>
export type SyncSegmentRow = Selectable<SyncSegmentsTable>

/** A segment without its bytes; `waits` is 1 for an own one that the store does not have yet. */
export type KnownSegment = Omit<SyncSegmentRow, 'bytes'> & { waits: 0 | 1 }

/** Which memories to read: by their ids, the hash of their text, a keyed text, or what replaces them. */
export interface SyncSelection {
  ids: readonly string[]
  hashes: readonly string[]
  keys: readonly string[]
}

const emptied = [
  'sync_state',
  'sync_memories',
  'sync_texts',
  'sync_purged',
  'sync_agents',
  'sync_outbox',
  'sync_segments',
] as const

/** The memories of several machines as this one knows them. */
export function syncTable(db: Kysely<Schema>) {
  return { ...state(db), ...memories(db), ...texts(db), ...outbox(db), ...changes(db) }
}

function state(db: Kysely<Schema>) {
  return {
    get: async (key: string): Promise<string | undefined> =>
      (await db.selectFrom('sync_state').select('value').where('key', '=', key).executeTakeFirst())?.value,
    set: async (key: string, value: string): Promise<void> => {
      await db
        .insertInto('sync_state')
        .values({ key, value })
        .onConflict(conflict => conflict.column('key').doUpdateSet({ value }))
        .execute()
    },
    /** Forgets all that is known; memories stay as they are. */
    clear: async (): Promise<void> => {
      for (const table of emptied) await db.deleteFrom(table).execute()
    },
  }
}

function memories(db: Kysely<Schema>) {
  return {
    /** Returns each of them once or several times. */
    known: async ({ ids, hashes, keys }: SyncSelection): Promise<SyncMemoryRow[]> => {
      const { rows } = await sql<SyncMemoryRow>`
        SELECT * FROM sync_memories WHERE id IN ${listOf(ids)}
        UNION ALL SELECT * FROM sync_memories WHERE hash IN ${listOf(hashes)}
        UNION ALL SELECT * FROM sync_memories WHERE text_key IN ${listOf(keys)}
        UNION ALL SELECT * FROM sync_memories WHERE first_key IN ${listOf(keys)}
        UNION ALL SELECT * FROM sync_memories WHERE replaced_by IS NOT NULL AND replaced_by IN ${listOf(ids)}`.execute(
        db,
      )
      return rows
    },
    /** Returns known memories in the order of their ids, to tell them again. */
    knownAfter: (id: string, limit: number): Promise<SyncMemoryRow[]> =>
      db.selectFrom('sync_memories').selectAll().where('id', '>', id).orderBy('id').limit(limit).execute(),
    putKnown: (rows: readonly SyncMemoryRow[]): Promise<void> =>
      insertRows(db, 'sync_memories', rows, { onConflict: { key: 'id' } }),
    dropKnown: async (ids: readonly string[]): Promise<void> => {
      if (ids.length === 0) return
      await sql`DELETE FROM sync_memories WHERE id IN ${listOf(ids)}`.execute(db)
    },
    /** Notes memories that are being purged; none while sync is off. Call it in the same transaction. */
    notePurged: async (ids: readonly string[]): Promise<void> => {
      await sql`INSERT INTO sync_purged (id, clock) SELECT id, '' FROM sync_memories WHERE id IN ${listOf(ids)}
        ON CONFLICT DO NOTHING`.execute(db)
    },
    purgesToTell: async (): Promise<string[]> => {
      // A literal, because the partial index needs it.
      const { rows } = await sql<{ id: string }>`SELECT id FROM sync_purged WHERE clock = ''`.execute(db)
      return rows.map(({ id }) => id)
    },
    purged: async (ids: readonly string[]): Promise<{ id: string; clock: string }[]> => {
      const { rows } = await sql<{ id: string; clock: string }>`SELECT id, clock FROM sync_purged
        WHERE id IN ${listOf(ids)} AND clock <> ''`.execute(db)
      return rows
    },
    allPurged: () =>
      db.selectFrom('sync_purged').selectAll().where('clock', '<>', '').orderBy('id').execute(),
    putPurged: (rows: readonly { id: string; clock: string }[]): Promise<void> =>
      insertRows(db, 'sync_purged', rows, { onConflict: { key: 'id' } }),
  }
}

function texts(db: Kysely<Schema>) {
  return {
    texts: async (keys: readonly string[]): Promise<SyncTextRow[]> => {
      const { rows } = await sql<SyncTextRow>`SELECT * FROM sync_texts WHERE key IN ${listOf(keys)}`.execute(
        db,
      )
      return rows
    },
    allTexts: (): Promise<SyncTextRow[]> => db.selectFrom('sync_texts').selectAll().orderBy('key').execute(),
    putTexts: (rows: readonly SyncTextRow[]): Promise<void> =>
      insertRows(db, 'sync_texts', rows, { onConflict: { key: 'key' } }),
    agents: () => db.selectFrom('sync_agents').selectAll().execute(),
    putAgents: (rows: readonly { name: string; clock: string; policy: string | null }[]): Promise<void> =>
      insertRows(db, 'sync_agents', rows, { onConflict: { key: 'name' } }),
  }
}

function outbox(db: Kysely<Schema>) {
  return {
    addToOutbox: (records: readonly string[]): Promise<void> =>
      insertRows(
        db,
        'sync_outbox',
        records.map(record => ({ record })),
      ),
    /** Returns the oldest records. */
    outbox: (limit: number): Promise<{ number: number; record: string }[]> =>
      db.selectFrom('sync_outbox').selectAll().orderBy('number').limit(limit).execute(),
    dropOutbox: async (upTo: number): Promise<void> => {
      await db.deleteFrom('sync_outbox').where('number', '<=', upTo).execute()
    },
    /** Counts by the ends: records are added and dropped in order. */
    countOutbox: async (): Promise<number> => {
      const { rows } = await sql<{ count: number }>`SELECT
        COALESCE((SELECT number FROM sync_outbox ORDER BY number DESC LIMIT 1)
          - (SELECT number FROM sync_outbox ORDER BY number LIMIT 1) + 1, 0) AS count`.execute(db)
      return rows[0]?.count ?? 0
    },
    /** Returns all segments of this machine and those that it read, without their bytes. */
    segments: (): Promise<KnownSegment[]> =>
      db
        .selectFrom('sync_segments')
        .select(['hash', 'device', 'number', flag(sql`bytes IS NOT NULL`).as('waits')])
        .execute(),
    lastSegment: (device: string): Promise<SyncSegmentRow | undefined> =>
      db
        .selectFrom('sync_segments')
        .selectAll()
        .where('device', '=', device)
        .orderBy('number', 'desc')
        .limit(1)
        .executeTakeFirst(),
    addSegment: async (row: SyncSegmentRow): Promise<void> => {
      await db
        .insertInto('sync_segments')
        .values(row)
        .onConflict(conflict => conflict.doNothing())
        .execute()
    },
    /** Notes segments as read. */
    addSegments: (rows: readonly SyncSegmentRow[]): Promise<void> =>
      insertRows(db, 'sync_segments', rows, { onConflict: { key: 'hash' } }),
    /** Returns own segments that the store does not have yet, in order. */
    segmentsToPut: (): Promise<SyncSegmentRow[]> =>
      db
        .selectFrom('sync_segments')
        .selectAll()
        .where('bytes', 'is not', null)
        .orderBy('device')
        .orderBy('number')
        .execute(),
    segmentStored: async (hash: string): Promise<void> => {
      await db.updateTable('sync_segments').set({ bytes: null }).where('hash', '=', hash).execute()
    },
    dropSegments: async (hashes: readonly string[]): Promise<void> => {
      await sql`DELETE FROM sync_segments WHERE hash IN ${listOf(hashes)}`.execute(db)
    },
  }
}

function changes(db: Kysely<Schema>) {
  return {
    /** Returns whole rows changed after a number, oldest first. */
    rowsChanged: async (change: number, limit: number): Promise<Selectable<MemoriesTable>[]> => {
      const columns = sql`memories.*`
      const query = inChangeOrder<Selectable<MemoriesTable>>(columns, 'after', { change, limit })
      return (await query.execute(db)).rows
    },
    /** Returns the history of memories after a number, without events of the ontology, which stays here. */
    eventsOf: async (ids: readonly string[], after: number): Promise<Selectable<HistoryTable>[]> => {
      const { rows } = await sql<Selectable<HistoryTable>>`SELECT * FROM memory_history
        WHERE memory_id IN ${packedListOf('id', ids)} AND change > ${after} AND event <> 'none' ORDER BY change`.execute(
        db,
      )
      return rows
    },
    /** Deletes the copies that retention kept of purged memories. */
    dropCopies: async (ids: readonly string[]): Promise<void> => {
      await sql`DELETE FROM cold_memories WHERE id IN ${listOf(ids)}`.execute(db)
    },
    /** Replaces the texts of one event. */
    setEventTexts: async (
      { memory_id, id }: { memory_id: string; id: string },
      texts: { old_content: string | null; new_content: string | null },
    ): Promise<void> => {
      await sql`UPDATE memory_history SET old_content = ${texts.old_content}, new_content = ${texts.new_content}
        WHERE memory_id IN ${packedListOf('id', [memory_id])} AND id IN ${packedListOf('id', [id])}`.execute(
        db,
      )
    },
  }
}
