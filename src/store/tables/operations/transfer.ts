import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import { slicesOf } from '../../../lib/text/clip.js'
import type { AgentsTable, HistoryTable, Schema } from '../../schema/schema.js'
import { byIndex, jsonMembersIn, jsonObjectOf, jsonTextOf, listOf, thenJoin } from '../../sql/dialect.js'
import { type StatementParameters, shapedStatement } from '../../sql/fixed-statement.js'
import {
  bytesOfId,
  isPackedId,
  packedId,
  packedListOf,
  packedValue,
  toPack,
  unpackedId,
} from '../../sql/packed.js'
import { type SizedRow, withinBytes, withLongTexts } from '../../sql/sized.js'
import type { MemoryRow } from '../memory/memories.js'
import { type ExportedMemory, exportedMemories } from './exported-memories.js'

/** Rows per insert; SQLite allows 32,766 values per statement. */
const maxRows = 500

export type NewAgent = Insertable<AgentsTable>

/** A live row whose content or idempotency key may conflict with an import. */
export type Claimant = Pick<
  MemoryRow,
  'id' | 'content_hash' | 'hash_space' | 'idempotency_key' | 'agent_id' | 'visibility' | 'scope'
>

/** Bytes of text per page, because a page is in memory at once. */
const maxBytes = 512 * 1024
const maxEvents = 500

type HistoryRow = Selectable<HistoryTable>

/** An event in export form; `ExportedMemory` explains why it is made of JSON texts. */
export type ExportedEvent = Pick<HistoryRow, 'memory_id' | 'change'> & {
  /**
   * The complete line of the creation of an unchanged memory, the usual case; the other fields are then
   * absent.
   */
  line: string | null
} & EventFields

type EventFields = Pick<HistoryRow, 'id' | 'metadata'> & {
  /** JSON objects of the fields before the contents, before the metadata, and after it. */
  start: string
  middle: string
  rest: string
  /** Empty when it equals the memory's current content. */
  old_content: string
  new_content: string
}

/** The cursor for reading the history of some memories. */
export type EventCursor = Pick<HistoryRow, 'memory_id' | 'change' | 'id'>

/** The cursor before all events. */
const startCursor: EventCursor = { memory_id: '', change: 0, id: '' }

const inEvent = (name: string, column: keyof HistoryRow) => [name, sql.ref(`h.${column}`)] as const
const id = unpackedId('h.id')
/** The memory's id and version. */
const memoryId = sql<string>`w.key`
const version = sql<number>`w.value`

const start = [
  ['kind', sql.lit('event')],
  ['id', id],
  ['memoryId', memoryId],
  inEvent('event', 'event'),
] as const
const middle = [
  inEvent('changedBy', 'changed_by'),
  inEvent('actorType', 'actor_type'),
  inEvent('reason', 'reason'),
] as const
const rest = [
  inEvent('createdAt', 'created_at'),
  inEvent('sessionId', 'session_id'),
  ['requestId', unpackedId('h.request_id')],
] as const

const isBeginning = sql`(h.event = 'created' AND ${version} = 1 AND h.old_content IS NULL AND h.new_content IS NULL
  AND h.metadata IS NULL)`
const line = jsonObjectOf([...start, ['oldContent', sql`NULL`], ...middle, ['metadata', sql`NULL`], ...rest])

const present = sql`(SELECT m.content FROM memories m WHERE m.id = ${memoryId})`
const changed = sql`COALESCE(n.old_content, n.new_content)`

/**
 * The first content of a memory, if its creation event omits it: the old content of the next change, or null.
 */
const contentThen = sql`CASE WHEN ${version} > 1 THEN
  (SELECT CASE WHEN ${changed} IS DISTINCT FROM ${present} THEN ${jsonTextOf(changed)} END
    FROM memory_history n
    WHERE n.memory_id = h.memory_id AND (n.change, n.id) > (h.change, h.id) AND ${changed} IS NOT NULL
    ORDER BY n.change, n.id LIMIT 1) END`

const unlessPresent = (column: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`CASE WHEN ${column} = ${present} THEN '' ELSE ${jsonTextOf(column)} END`
const oldContent = sql`CASE WHEN h.old_content IS NULL THEN 'null' ELSE ${unlessPresent(sql`h.old_content`)} END`
const newContent = sql`CASE WHEN h.new_content IS NOT NULL THEN ${unlessPresent(sql`h.new_content`)}
  WHEN h.event = 'created' THEN COALESCE(${contentThen}, '') ELSE 'null' END`
/** Includes omitted texts, because finding out which are omitted would mean reading them all. */
const bytes = sql<number>`(COALESCE(octet_length(h.old_content), 0) + COALESCE(octet_length(h.new_content), 0))`

/** A memory whose history is exported. */
export type MemoryVersion = Pick<ExportedMemory, 'id' | 'version'>

/** Copies rows in bulk, unchanged (export and import). */
export function transferTable(db: Kysely<Schema>) {
  return { ...exportedMemories(db), ...exportedEvents(db), ...incoming(db) }
}

function incoming(db: Kysely<Schema>) {
  return {
    /** Returns the given ids that are stored, forgotten ones included. */
    storedIds: async (ids: readonly string[]): Promise<Set<string>> => {
      const rows = await db
        .selectFrom('memories')
        .select('id')
        .where(sql<boolean>`id IN ${listOf(ids)}`)
        .execute()
      return new Set(rows.map(row => row.id))
    },
    /** Returns live rows with one of these contents or idempotency keys; one with both may occur twice. */
    claimants: async (hashes: readonly string[], keys: readonly string[]): Promise<Claimant[]> => {
      // Names the indexes, as for a single save; otherwise SQLite scans all live rows per batch.
      const claiming = (index: string, column: string, values: RawBuilder<unknown>) => sql`
        SELECT id, content_hash, hash_space, idempotency_key, agent_id, visibility, scope
        FROM ${byIndex('memories', index)}
        WHERE is_deleted = 0 AND ${sql.ref(column)} IN ${values}`
      const { rows } =
        await sql<Claimant>`${claiming('memories_hash', 'content_hash', packedListOf('hash', hashes))}
        UNION ALL ${claiming('memories_idempotency', 'idempotency_key', listOf(keys))}
        AND idempotency_key IS NOT NULL`.execute(db)
      return rows
    },
    /** Registers agents with their policies; existing ones are unchanged. */
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

/** Returns the cursor after an event. */
export function cursorAfter({ memory_id, change, id, line }: ExportedEvent): EventCursor {
  return { memory_id, change, id: line === null ? id : JSON.parse(line).id }
}

interface EventPageQuery {
  memories: readonly MemoryVersion[]
  upTo: number
  after: EventCursor
}

/** Reads the history of memories for an export. */
function exportedEvents(db: Kysely<Schema>) {
  const page = shapedStatement<boolean, EventPageQuery, SizedRow<ExportedEvent>>(
    db,
    (isPacked, { value }) => sql`SELECT ${memoryId} AS memory_id, h.change, ${bytes} AS bytes,
        CASE WHEN ${isBeginning} THEN ${line} END AS line, CASE WHEN ${isBeginning} THEN '' ELSE ${id} END AS id
      FROM ${historyOf(isPacked, value)}
      WHERE h.change <= ${value(({ upTo }) => upTo)}
        AND (h.memory_id, h.change, h.id) > (${value(({ after }) => packedId(after.memory_id))},
          ${value(({ after }) => after.change)}, ${value(({ after }) => packedId(after.id))})
      ORDER BY h.memory_id, h.change, h.id LIMIT ${sql.lit(maxEvents)}`,
  )
  const piecesOf = shapedStatement<
    boolean,
    { memories: readonly MemoryVersion[]; ids: readonly string[] },
    EventFields
  >(
    db,
    (isPacked, { value, rows }) => sql`SELECT ${id} AS id, h.metadata, ${jsonObjectOf(start)} AS start,
        ${jsonObjectOf(middle)} AS middle, ${jsonObjectOf(rest)} AS rest,
        ${oldContent} AS old_content, ${newContent} AS new_content
      FROM ${historyOf(isPacked, value)}
      WHERE h.id IN (SELECT ${packedValue} FROM ${rows(({ ids }) => toPack('id', ids), 'wanted')})`,
  )
  return {
    /**
     * Returns events of some memories up to a change, by memory and time, after a cursor; ids must ascend.
     */
    eventsAfter: async (
      memories: readonly MemoryVersion[],
      upTo: number,
      after: EventCursor = startCursor,
    ): Promise<ExportedEvent[]> => {
      for (const some of runsAlike(memories)) {
        const isPacked = isPackedId((some[0] as MemoryVersion).id)
        const isWithin = isPackedId(after.memory_id) === isPacked
        const found = await page(isPacked, { memories: some, upTo, after: isWithin ? after : startCursor })
        if (found.length === 0) continue
        const fitting = found.slice(0, withinBytes(found, maxBytes).length)
        const isLacking = ({ line }: ExportedEvent) => line === null
        const theirs = new Set(fitting.filter(isLacking).map(event => event.memory_id))
        const changed = some.filter(memory => theirs.has(memory.id))
        return withLongTexts<ExportedEvent>(fitting, isLacking, ids =>
          piecesOf(isPacked, { memories: changed, ids }),
        )
      }
      return []
    },
  }
}

/** Selects the events of the requested memories. */
function historyOf<Input extends { memories: readonly MemoryVersion[] }>(
  isPacked: boolean,
  value: StatementParameters<Input>['value'],
): RawBuilder<unknown> {
  const versions = value(({ memories }) => versionsOf(memories))
  return sql`${jsonMembersIn(versions, 'w')} ${thenJoin} memory_history h
    ON h.memory_id = ${isPacked ? bytesOfId(memoryId) : memoryId}`
}

/** Splits memories into runs whose ids are stored alike, as only such ids are ordered. */
function runsAlike(memories: readonly MemoryVersion[]): MemoryVersion[][] {
  const runs: MemoryVersion[][] = []
  for (const memory of memories) {
    const last = runs.at(-1)
    if (last?.[0] && isPackedId(last[0].id) === isPackedId(memory.id)) last.push(memory)
    else runs.push([memory])
  }
  return runs
}

/** Built by hand, because an object would move numeric ids to the front. */
function versionsOf(memories: readonly MemoryVersion[]): string {
  return `{${memories.map(({ id, version }) => `${JSON.stringify(id)}:${version}`).join()}}`
}
