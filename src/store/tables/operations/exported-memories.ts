import { expressionBuilder, type Kysely, type Selectable, sql } from 'kysely'
import type { AgentsTable, Schema } from '../../schema/schema.js'
import { isShortNumber, jsonNumberOf, jsonObjectOf, unindexed } from '../../sql/dialect.js'
import { fixedStatement, shapedStatement } from '../../sql/fixed-statement.js'
import { memoryBytes, type SizedRow, selectIfShort, withinBytes, withLongTexts } from '../../sql/sized.js'
import type { MemoryRow } from '../memory/memories.js'
import { inSelection, type MemoryFilter, type ReadBoundary } from '../memory/memory-filter.js'

/** Bytes of text per page, because a page is in memory at once. */
const maxBytes = 512 * 1024
/** Rows scanned per page, because a filter may match few of many. */
const maxWalked = 5000

/** Selects the memories to export; an undefined boundary means all rows. */
export interface ExportSelection {
  boundary: ReadBoundary | undefined
  filter: MemoryFilter
  deleted: boolean
}

/** The cursor of an export. */
export interface ExportCursor {
  /** Last exported id; '' before the first. */
  last: string
  /** Upper bound of ids for one page, if known; computing it costs as much as many pages. */
  end?: string
}

/**
 * A memory in export form: JSON texts built by SQLite, since reading each column as a value would dominate
 * the cost of an export. JavaScript fills in numbers with many digits and values stored elsewhere.
 */
export type ExportedMemory = Pick<
  MemoryRow,
  | 'id'
  | 'version'
  | 'importance'
  | 'confidence'
  | 'access_count'
  | 'last_accessed'
  | 'structured'
  | 'further_holders'
> & {
  /** JSON object of the columns up to confidence; null when a text is long or a number needs JavaScript. */
  head: string | null
  /** JSON objects of the columns before importance, and before confidence. */
  start: string
  middle: string
  /** JSON object of the columns after the last access. */
  rest: string
}

/** Reads memories for an export. */
export function exportedMemories(db: Kysely<Schema>) {
  return { ...selected(db), ...memories(db) }
}

const start = 'id content type'.split(' ')
const middle =
  'tags pinned who source_id source_type source_path runtime_path idempotency_key project scope session_id layout'.split(
    ' ',
  )
const rest = (
  'is_deleted deleted_at extraction_status version created_at updated_at updated_by memory_kind agent_id visibility ' +
  'superseded_by superseded_at superseded_reason occurred_at observed_at source_created_at valid_from valid_until ' +
  'review_after expires_at branch commit_id'
).split(' ')

const asMembers = (columns: readonly string[]) => columns.map(name => [name, sql.ref(name)] as const)

const startMembers = [['kind', sql.lit('memory')], ...asMembers(start)] as const
const headObject = jsonObjectOf([
  ...startMembers,
  ['importance', jsonNumberOf('importance')],
  ...asMembers(middle),
  ['confidence', jsonNumberOf('confidence')],
])
/** All columns but those before confidence and those that may be long. */
const others = sql`id, version, importance, confidence, access_count, last_accessed, further_holders,
  ${jsonObjectOf(asMembers(rest))} AS rest`
const pieces = sql`${jsonObjectOf(startMembers)} AS start, ${jsonObjectOf(asMembers(middle))} AS middle, structured`
const head = sql`CASE WHEN ${isShortNumber('importance')} AND (confidence IS NULL OR ${isShortNumber('confidence')})
  THEN ${headObject} END`
type MemoryFields = Pick<ExportedMemory, 'id' | 'start' | 'middle' | 'structured'>

function selected(db: Kysely<Schema>) {
  const rows = ({ boundary, filter, deleted }: ExportSelection) => {
    const rows = db.selectFrom('memories').where(eb => inSelection(eb, boundary, filter))
    // Scans by id; with another index every page would sort all rows.
    return deleted ? rows : rows.where(unindexed<number>('is_deleted'), '=', 0)
  }
  return {
    count: async (selection: ExportSelection): Promise<number> => {
      const { count } = await rows(selection)
        .select(sql<number>`count(*)`.as('count'))
        .executeTakeFirstOrThrow()
      return count
    },
    isSelected: async (selection: ExportSelection, id: string): Promise<boolean> => {
      const row = await rows(selection).select('id').where('id', '=', id).executeTakeFirst()
      return row !== undefined
    },
    /** Returns stored ids after one, ascending, from the index alone, because rows may be damaged. */
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
    agents: (): Promise<Selectable<AgentsTable>[]> =>
      db.selectFrom('agents').selectAll().orderBy('id').execute(),
  }
}

function memories(db: Kysely<Schema>) {
  const eb = expressionBuilder<Schema, 'memories'>()
  const page = shapedStatement<
    ExportSelection,
    { last: string; until: string; limit: number },
    SizedRow<ExportedMemory>
  >(
    db,
    ({ boundary, filter, deleted }, { value }) => sql<
      SizedRow<ExportedMemory>
    >`SELECT ${others}, ${memoryBytes} AS bytes,
        ${selectIfShort(memoryBytes, head)} AS head, ${selectIfShort(memoryBytes, sql`structured`)} AS structured
      FROM memories WHERE ${inSelection(eb, boundary, filter)}
        ${deleted ? sql`` : sql`AND ${unindexed('is_deleted')} = 0`}
        AND id > ${value(({ last }) => last)} AND id <= ${value(({ until }) => until)}
      ORDER BY id LIMIT ${value(({ limit }) => limit)}`,
  )
  const whole = fixedStatement<string, ExportedMemory>(
    db,
    ({ value }) => sql`SELECT ${others}, NULL AS head, ${pieces} FROM memories WHERE id = ${value(id => id)}`,
  )
  const piecesOf = fixedStatement<readonly string[], MemoryFields>(
    db,
    ({ rows }) => sql`SELECT id, ${pieces} FROM memories
      WHERE id IN (SELECT value FROM ${rows(ids => ids, 'wanted')})`,
  )
  return {
    /** Returns one memory without an access check; none when it is absent. */
    exported: (id: string): Promise<ExportedMemory[]> => whole(id),
    /**
     * Returns memories after a cursor, ascending by id. A page may be short or empty when texts are long or
     * the filter matches few rows. Call it in a transaction.
     * @returns the rows and the next cursor; undefined when no row is left.
     */
    exportedAfter: async (
      selection: ExportSelection,
      { last, end = last }: ExportCursor,
      limit: number,
    ): Promise<{ rows: ExportedMemory[]; next: ExportCursor } | undefined> => {
      const until = last < end ? end : await pageEnd(db, last)
      if (until === null) return undefined
      const found = await page(selection, { last, until, limit })
      const fitting = found.slice(0, withinBytes(found, maxBytes).length)
      const isAll = found.length < limit && fitting.length === found.length
      const rows = await withLongTexts<ExportedMemory>(fitting, row => row.head === null, piecesOf)
      return { rows, next: { last: isAll ? until : (fitting.at(-1) as ExportedMemory).id, end: until } }
    },
  }
}

/** Returns the last id that one page scans; null after the last row. */
async function pageEnd(db: Kysely<Schema>, last: string): Promise<string | null> {
  const walked = db.selectFrom('memories').select('id').where('id', '>', last).orderBy('id').limit(maxWalked)
  const { id } = await db
    .selectFrom(walked.as('m'))
    .select(eb => eb.fn.max<string | null>('id').as('id'))
    .executeTakeFirstOrThrow()
  return id
}
