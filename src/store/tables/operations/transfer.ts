import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import { slicesOf } from '../../../lib/slices-of.js'
import type { AgentsTable, HistoryTable, Schema } from '../../schema/schema.js'
import { byIndex, flag, listOf, unindexed } from '../../sql/dialect.js'
import { insertRows } from '../../sql/insert-rows.js'
import { memoryBytes, withinBytes } from '../../sql/sized.js'
import type { MemoryRow, NewMemory } from '../memory/memories.js'
import { inSelection, type MemoryFilter, type ReadBoundary } from '../memory/memory-filter.js'

/** Texts that one call hands out: they are in memory together. */
const maxBytes = 512 * 1024
/** Rows that one call looks at: a selection may have few among many. */
const maxWalked = 5000
/** Rows of one insert: SQLite takes 32,766 values in a statement. */
const maxRows = 500

/** What an export takes: undefined boundary means every row there is. */
export interface Selection {
  boundary: ReadBoundary | undefined
  filter: MemoryFilter
  deleted: boolean
}

/** How far an export is. */
export interface ExportPlace {
  /** Everything up to here was handed out; the empty text before the first. */
  last: string
  /** The id that one call looks up to at most, if that is known: finding it costs as much as many pages. */
  end?: string
}

type HistoryRow = Selectable<HistoryTable>

export type NewAgent = Insertable<AgentsTable>
export type NewEvent = Insertable<HistoryTable>

/** An event whose texts are undefined where they are the present content of its memory. */
export type SlimEvent = Omit<HistoryRow, 'old_content' | 'new_content'> & {
  old_content: string | null | undefined
  new_content: string | null | undefined
}

/** Where reading the history of some memories goes on. */
export type EventPosition = Pick<HistoryRow, 'memory_id' | 'change' | 'id'>

/** An alive row that lays claim to a content or an idempotency key. */
export type Claimant = Pick<
  MemoryRow,
  'id' | 'content_hash' | 'hash_space' | 'idempotency_key' | 'agent_id' | 'visibility' | 'scope'
>

/** Rows in bulk, as they are (export and import). */
export function transferTable(db: Kysely<Schema>) {
  return { ...outgoing(db), ...history(db), ...incoming(db) }
}

function outgoing(db: Kysely<Schema>) {
  const selected = ({ boundary, filter, deleted }: Selection) => {
    const rows = db.selectFrom('memories').where(eb => inSelection(eb, boundary, filter))
    // By id: by another index all rows would be sorted for every page.
    return deleted ? rows : rows.where(unindexed<number>('is_deleted'), '=', 0)
  }
  return {
    count: async (selection: Selection): Promise<number> => {
      const { count } = await selected(selection)
        .select(sql<number>`count(*)`.as('count'))
        .executeTakeFirstOrThrow()
      return count
    },
    /**
     * Ids behind a place, ascending; fewer than `limit`, or none, when their texts are long or few rows are selected.
     * @returns them with the place to go on from; undefined when no row is left.
     */
    idsAfter: async (
      selection: Selection,
      { last, end = last }: ExportPlace,
      limit: number,
    ): Promise<{ ids: string[]; next: ExportPlace } | undefined> => {
      const until = last < end ? end : await endBehind(db, last)
      if (until === null) return undefined
      const rows = await selected(selection)
        .select(['id', memoryBytes.as('bytes')])
        .where('id', '>', last)
        .where('id', '<=', until)
        .orderBy('id')
        .limit(limit)
        .execute()
      const ids = withinBytes(rows, maxBytes)
      const isAll = rows.length < limit && ids.length === rows.length
      return { ids, next: { last: isAll ? until : (ids.at(-1) as string), end: until } }
    },
    /** Ids of whatever is stored behind one, ascending, by an index alone: the rows themselves may be damaged. */
    anyIdsAfter: async (after: string, limit: number): Promise<string[]> => {
      const rows = await db
        .selectFrom('memories')
        .select('id')
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(row => row.id)
    },
    isSelected: async (selection: Selection, id: string): Promise<boolean> => {
      const row = await selected(selection).select('id').where('id', '=', id).executeTakeFirst()
      return row !== undefined
    },
    agents: (): Promise<Selectable<AgentsTable>[]> =>
      db.selectFrom('agents').selectAll().orderBy('id').execute(),
  }
}

/** How far one call looks at most; null behind the last row. */
async function endBehind(db: Kysely<Schema>, last: string): Promise<string | null> {
  const walked = db.selectFrom('memories').select('id').where('id', '>', last).orderBy('id').limit(maxWalked)
  const { id } = await db
    .selectFrom(walked.as('m'))
    .select(eb => eb.fn.max<string | null>('id').as('id'))
    .executeTakeFirstOrThrow()
  return id
}

/** Of an event that began a memory without a text: that of the change that took it away, null where none did. */
const contentThen = sql<
  string | null
>`CASE WHEN h.event = 'created' AND h.new_content IS NULL AND m.version > 1 THEN (
    SELECT NULLIF(COALESCE(n.old_content, n.new_content), m.content) FROM memory_history n
    WHERE n.memory_id = h.memory_id AND (n.change, n.id) > (h.change, h.id)
      AND COALESCE(n.old_content, n.new_content) IS NOT NULL
    ORDER BY n.change, n.id LIMIT 1) END`

/** The text that an event without one brought, if it began a memory: undefined for the one that its memory has now. */
function begunWith({ event }: Pick<HistoryRow, 'event'>, then: string | null): string | null | undefined {
  return event === 'created' ? (then ?? undefined) : null
}

function history(db: Kysely<Schema>) {
  const differs = (column: string) => sql`${sql.ref(`h.${column}`)} IS DISTINCT FROM m.content`
  const other = (column: string) =>
    sql<string | null>`CASE WHEN ${differs(column)} THEN ${sql.ref(`h.${column}`)} END`
  const events = () => db.selectFrom('memory_history as h').innerJoin('memories as m', 'm.id', 'h.memory_id')
  return {
    /** The history of some memories up to a change, by memory and time, behind a position. */
    eventsAfter: async (
      ids: readonly string[],
      upTo: number,
      after: EventPosition | undefined,
    ): Promise<SlimEvent[]> => {
      // Of texts that are left out in the end too: whether they are would take reading all of them.
      const sized = db
        .selectFrom('memory_history as h')
        .select([
          'h.id',
          sql<number>`COALESCE(octet_length(h.old_content), 0) + COALESCE(octet_length(h.new_content), 0)`.as(
            'bytes',
          ),
        ])
        .where(sql<boolean>`h.memory_id IN ${listOf(ids)}`)
        .where('h.change', '<=', upTo)
        .orderBy('h.memory_id')
        .orderBy('h.change')
        .orderBy('h.id')
        .limit(maxRows)
      const page = await (after
        ? sized.where(
            sql<boolean>`(h.memory_id, h.change, h.id) > (${after.memory_id}, ${after.change}, ${after.id})`,
          )
        : sized
      ).execute()
      const chosen = withinBytes(page, maxBytes)
      if (chosen.length === 0) return []
      const rows = await events()
        .selectAll('h')
        .select([
          other('old_content').as('old_content'),
          other('new_content').as('new_content'),
          flag(differs('old_content')).as('old_differs'),
          flag(differs('new_content')).as('new_differs'),
          contentThen.as('then'),
        ])
        .where(sql<boolean>`h.id IN ${listOf(chosen)}`)
        .orderBy('h.memory_id')
        .orderBy('h.change')
        .orderBy('h.id')
        .execute()
      return rows.map(({ old_differs, new_differs, then, ...row }) => ({
        ...row,
        old_content: old_differs ? row.old_content : undefined,
        new_content: new_differs ? (row.new_content ?? begunWith(row, then)) : undefined,
      }))
    },
  }
}

function incoming(db: Kysely<Schema>) {
  return {
    /** Those of the given ids that are stored, forgotten ones included. */
    storedIds: async (ids: readonly string[]): Promise<Set<string>> => {
      const rows = await db
        .selectFrom('memories')
        .select('id')
        .where(sql<boolean>`id IN ${listOf(ids)}`)
        .execute()
      return new Set(rows.map(row => row.id))
    },
    /** Alive rows with one of these contents or idempotency keys; one that has both may come twice. */
    claimants: async (hashes: readonly string[], keys: readonly string[]): Promise<Claimant[]> => {
      // The indexes are named, as for a single save: SQLite would walk every alive row for each batch instead.
      const claiming = (index: string, column: string, values: readonly string[]) => sql`
        SELECT id, content_hash, hash_space, idempotency_key, agent_id, visibility, scope
        FROM ${byIndex('memories', index)}
        WHERE is_deleted = 0 AND ${sql.ref(column)} IN ${listOf(values)}`
      const { rows } = await sql<Claimant>`${claiming('memories_hash', 'content_hash', hashes)}
        UNION ALL ${claiming('memories_idempotency', 'idempotency_key', keys)}
        AND idempotency_key IS NOT NULL`.execute(db)
      return rows
    },
    insertMemories: (rows: readonly NewMemory[]): Promise<void> => insertRows(db, 'memories', rows),
    insertHints: (rows: readonly { memory_id: string; position: number; hint: string }[]): Promise<void> =>
      insertRows(db, 'memory_hints', rows),
    /** Events that are stored already stay: history outlives its memory. */
    insertEvents: (rows: readonly NewEvent[]): Promise<void> =>
      insertRows(db, 'memory_history', rows, { onConflict: 'skip' }),
    /** Registers agents with their policies; known ones are left alone. */
    insertAgents: async (rows: readonly NewAgent[]): Promise<void> => {
      for (const some of slicesOf(rows, maxRows))
        await db
          .insertInto('agents')
          .values(some)
          .onConflict(conflict => conflict.doNothing())
          .execute()
    },
  }
}
