import { expressionBuilder, type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { HistoryTable, Schema } from '../../schema/schema.js'
import { byIndex, rowNumber, thenJoin } from '../../sql/dialect.js'
import { type InsertOptions, insertRows } from '../../sql/insert-rows.js'
import { bytesOfId, packedId, packedListOf, unpackedId } from '../../sql/packed.js'
import { withinBytes } from '../../sql/sized.js'
import { inSelection, type ReadBoundary } from './memory-filter.js'

/** Bytes of text per page, because a page is in memory at once. */
const maxBytes = 8 * 1024 * 1024
/** Contents up to this size are returned with each event that did not change them. */
const maxRepeated = 4096
/** Longer metadata is omitted; the metadata of holder changes always fits. */
const maxMetadata = 16 * 1024

/**
 * Returns whether an unchanged content is returned with an event that omits it, which saves storing it twice.
 */
export function isRepeated(content: string): boolean {
  return Buffer.byteLength(content) <= maxRepeated
}

export type HistoryRow = Selectable<HistoryTable>
export type NewHistoryRow = Insertable<HistoryTable>

/** A forgotten memory, with the request that forgot it. */
export interface RemovedMemory {
  id: string
  type: string
  content: string
  at: string
  reason: string
  request: string
}

/** Forgotten memories per read, and the characters read of each. */
const mostRemoved = 2000
const mostContent = 1000

/** A page of a memory's history. */
export interface HistoryPage {
  events: HistoryRow[]
  more: boolean
}

/** A change of a memory, without its text. */
export type MemoryChange = Pick<HistoryRow, 'memory_id' | 'event' | 'metadata' | 'created_at'>

/** Events with row numbers above `after` and up to `upTo`; numbers grow with time. */
export interface EventRange {
  after: number
  upTo: number
}

export function historyTable(db: Kysely<Schema>) {
  const eventsOf = (memoryId: string) =>
    db.selectFrom('memory_history').where('memory_id', '=', packedId(memoryId))
  return {
    /** Adds events, whose ids are new. @param breathe yields to other work between rows. */
    append: (events: readonly NewHistoryRow[], breathe?: InsertOptions['breathe']): Promise<void> =>
      insertRows(db, 'memory_history', events, { breathe }),
    /** Adds events from a file, except those already stored: history outlives its memory. */
    appendTold: async (rows: readonly NewHistoryRow[], breathe?: InsertOptions['breathe']): Promise<void> => {
      const [ids, memories] = [rows.map(({ id }) => id), rows.map(row => row.memory_id)]
      const known = await db
        .selectFrom('memory_history')
        .select(['memory_id', 'id'])
        .where(
          sql<boolean>`memory_id IN ${packedListOf('id', memories)} AND id IN ${packedListOf('id', ids)}`,
        )
        .execute()
      const keyOf = ({ memory_id, id }: Pick<NewHistoryRow, 'memory_id' | 'id'>) => `${memory_id} ${id}`
      const seen = new Set(known.map(keyOf))
      const isNew = (row: NewHistoryRow): boolean => !seen.has(keyOf(row)) && seen.add(keyOf(row)).size > 0
      await insertRows(db, 'memory_history', rows.filter(isNew), { breathe })
    },
    /** Removes the session ids from a memory's history. */
    forgetSessions: async (memoryId: string): Promise<void> => {
      await db
        .updateTable('memory_history')
        .set({ session_id: null })
        .where('memory_id', '=', packedId(memoryId))
        .execute()
    },
    /** Returns memories that an actor forgot since a time and nobody recovered, the last one first. */
    removedBy: async (actor: string, boundary: ReadBoundary, since: string): Promise<RemovedMemory[]> => {
      const seen = inSelection(expressionBuilder<Schema, 'memories'>(), boundary, { chunks: false })
      const { rows } = await sql<RemovedMemory>`
        SELECT memories.id, type, substr(content, 1, ${mostContent}) AS content, deleted_at AS at, h.reason,
          COALESCE(${unpackedId('h.request_id')}, ${unpackedId('h.id')}) AS request
        FROM ${byIndex('memories', 'memories_deleted')} ${thenJoin} memory_history h ON h.change = memories.change
          AND h.memory_id = COALESCE(${bytesOfId(sql`memories.id`)}, memories.id)
        WHERE deleted_at >= ${since} AND deleted_at IS NOT NULL AND updated_by = ${actor} AND ${seen}
          AND h.event = 'deleted'
        ORDER BY deleted_at DESC, memories.change DESC LIMIT ${mostRemoved}`.execute(db)
      return rows
    },
    /** Returns those of these memories whose last event is their removal, for this reason. */
    removedFor: async (reason: string, ids: readonly string[]): Promise<ReadonlySet<string>> => {
      if (ids.length === 0) return new Set()
      const { rows } = await sql<{
        id: string
      }>`SELECT ${unpackedId('h.memory_id')} AS id FROM memory_history h
        WHERE h.memory_id IN ${packedListOf('id', ids)} AND h.event = 'deleted' AND h.reason = ${reason}
          AND NOT EXISTS (SELECT 1 FROM memory_history later
            WHERE later.memory_id = h.memory_id AND later.change > h.change)`.execute(db)
      return new Set(rows.map(({ id }) => id))
    },
    /** Returns the number of the last event; 0 before the first. */
    newest: async (): Promise<number> => {
      const { rows } = await sql<{ number: number | null }>`
        SELECT max(${rowNumber('memory_history')}) AS number FROM memory_history`.execute(db)
      return rows[0]?.number ?? 0
    },
    /** Returns the memories without a row that events in a range deleted. */
    deletedIn: async ({ after, upTo }: EventRange): Promise<string[]> => {
      const { rows } = await sql<{ id: string }>`SELECT DISTINCT ${unpackedId('h.memory_id')} AS id
        FROM memory_history h WHERE ${rowNumber('h')} > ${after} AND ${rowNumber('h')} <= ${upTo}
          AND h.event = 'deleted'
          AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = ${unpackedId('h.memory_id')})`.execute(db)
      return rows.map(({ id }) => id)
    },
    /**
     * Returns the last changes in a range, in order, of memories the reader may see, without chunks of
     * documents.
     */
    changes: async (
      { after, upTo }: EventRange,
      boundary: ReadBoundary,
      limit: number,
    ): Promise<MemoryChange[]> => {
      const seen = inSelection(expressionBuilder<Schema, 'memories'>(), boundary, { chunks: false })
      const { rows } = await sql<MemoryChange>`SELECT h.memory_id, h.event, h.created_at,
          CASE WHEN octet_length(h.metadata) <= ${maxMetadata} THEN h.metadata END AS metadata
        FROM memory_history h ${thenJoin} memories ON memories.id = ${unpackedId('h.memory_id')}
        WHERE ${rowNumber('h')} > ${after} AND ${rowNumber('h')} <= ${upTo} AND h.event <> 'none' AND ${seen}
        ORDER BY ${rowNumber('h')} DESC LIMIT ${limit}`.execute(db)
      return rows.reverse()
    },
    /**
     * Returns events, oldest first; fewer than `limit` when texts are long, but at least one (rules.md 4.4).
     */
    of: async (
      memoryId: string,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<HistoryPage> => {
      const sized = await eventsOf(memoryId)
        .select([
          'id',
          sql<number>`COALESCE(octet_length(old_content), 0) + COALESCE(octet_length(new_content), 0)`.as(
            'bytes',
          ),
        ])
        .orderBy('change')
        .orderBy('id')
        .limit(limit + 1)
        .offset(offset)
        .execute()
      const chosen = withinBytes(sized.slice(0, limit), maxBytes)
      if (chosen.length === 0) return { events: [], more: false }
      const events = await eventsOf(memoryId)
        .selectAll()
        .where(sql<boolean>`id IN ${packedListOf('id', chosen)}`)
        .orderBy('change')
        .orderBy('id')
        .execute()
      const after = await contentAfter(db, memoryId, events.at(-1) as HistoryRow)
      return { events: restoreContents(events, after), more: sized.length > chosen.length }
    },
  }
}

/** Returns the content after an event if it is short: the next event's old content, or the memory's. */
async function contentAfter(
  db: Kysely<Schema>,
  memoryId: string,
  { change, id }: HistoryRow,
): Promise<string | null> {
  const short = (text: string) =>
    sql<string | null>`CASE WHEN octet_length(${sql.raw(text)}) <= ${maxRepeated} THEN ${sql.raw(text)} END`
  const told = 'COALESCE(old_content, new_content)'
  const next = await db
    .selectFrom('memory_history')
    .select(short(told).as('content'))
    .where('memory_id', '=', packedId(memoryId))
    .where(sql<boolean>`(change, id) > (${change}, ${packedId(id)})`)
    .where(sql<boolean>`${sql.raw(told)} IS NOT NULL`)
    .orderBy('change')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (next) return next.content
  const memory = await db
    .selectFrom('memories')
    .select(short('content').as('content'))
    .where('id', '=', memoryId)
    .executeTakeFirst()
  return memory?.content ?? null
}

/**
 * Restores omitted contents: events that kept a short content, and creations, are stored without it (rules.md
 * 2.2).
 */
function restoreContents(events: readonly HistoryRow[], after: string | null): HistoryRow[] {
  const told: HistoryRow[] = []
  let content = after
  for (const event of events.toReversed()) {
    const own = event.old_content ?? event.new_content
    if (own !== null) content = isRepeated(own) ? own : null
    told.push(own === null ? { ...event, ...derivedContents(event.event, content) } : event)
  }
  return told.reverse()
}

/** Derives the contents of an event that stores none. */
function derivedContents(
  event: string,
  content: string | null,
): Partial<Pick<HistoryRow, 'old_content' | 'new_content'>> {
  if (event === 'created') return { new_content: content }
  return event === 'modified' ? { old_content: content, new_content: content } : {}
}
