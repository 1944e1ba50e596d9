import { expressionBuilder, type Kysely, type Selectable, sql } from 'kysely'
import type { AgentsTable, Schema } from '../../schema/schema.js'
import { isShortNumber, jsonNumberOf, jsonObjectOf, unindexed } from '../../sql/dialect.js'
import { fixedStatement, shapedStatement } from '../../sql/fixed-statement.js'
import { completed, memoryBytes, type Sized, shortOnly, withinBytes } from '../../sql/sized.js'
import type { MemoryRow } from '../memory/memories.js'
import { inSelection, type MemoryFilter, type ReadBoundary } from '../memory/memory-filter.js'

/** Texts that one call hands out: they are in memory together. */
const maxBytes = 512 * 1024
/** Rows that one call looks at: a selection may have few among many. */
const maxWalked = 5000

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

/**
 * A memory as a file has it: texts of JSON, made where the row is read, since a value for each of its columns costs more
 * than all else of an export. Between them stands what JavaScript writes in its own way: numbers with many digits, and
 * what is kept elsewhere as well.
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
  /** An object of the columns up to the confidence; null where a text is long, or a number JavaScript's to write. */
  head: string | null
  /** Then objects of those before importance, and before confidence. */
  start: string
  middle: string
  /** An object of the columns behind the last access. */
  rest: string
}

/** Memories as they stand in a file. */
export function exportedMemories(db: Kysely<Schema>) {
  return { ...selected(db), ...memories(db) }
}

const start = 'id content type'.split(' ')
const middle =
  'tags pinned who source_id source_type source_path runtime_path idempotency_key project scope session_id'.split(
    ' ',
  )
const rest = (
  'is_deleted deleted_at extraction_status version created_at updated_at updated_by memory_kind agent_id visibility ' +
  'superseded_by superseded_at superseded_reason occurred_at observed_at source_created_at valid_from valid_until ' +
  'review_after'
).split(' ')

const asMembers = (columns: readonly string[]) => columns.map(name => [name, sql.ref(name)] as const)

const startMembers = [['kind', sql.lit('memory')], ...asMembers(start)] as const
const headObject = jsonObjectOf([
  ...startMembers,
  ['importance', jsonNumberOf('importance')],
  ...asMembers(middle),
  ['confidence', jsonNumberOf('confidence')],
])
/** All but what stands before the confidence and what may be long. */
const others = sql`id, version, importance, confidence, access_count, last_accessed, further_holders,
  ${jsonObjectOf(asMembers(rest))} AS rest`
const pieces = sql`${jsonObjectOf(startMembers)} AS start, ${jsonObjectOf(asMembers(middle))} AS middle, structured`
const head = sql`CASE WHEN ${isShortNumber('importance')} AND (confidence IS NULL OR ${isShortNumber('confidence')})
  THEN ${headObject} END`
type Pieces = Pick<ExportedMemory, 'id' | 'start' | 'middle' | 'structured'>

function selected(db: Kysely<Schema>) {
  const rows = ({ boundary, filter, deleted }: Selection) => {
    const rows = db.selectFrom('memories').where(eb => inSelection(eb, boundary, filter))
    // By id: by another index all rows would be sorted for every page.
    return deleted ? rows : rows.where(unindexed<number>('is_deleted'), '=', 0)
  }
  return {
    count: async (selection: Selection): Promise<number> => {
      const { count } = await rows(selection)
        .select(sql<number>`count(*)`.as('count'))
        .executeTakeFirstOrThrow()
      return count
    },
    isSelected: async (selection: Selection, id: string): Promise<boolean> => {
      const row = await rows(selection).select('id').where('id', '=', id).executeTakeFirst()
      return row !== undefined
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
    agents: (): Promise<Selectable<AgentsTable>[]> =>
      db.selectFrom('agents').selectAll().orderBy('id').execute(),
  }
}

function memories(db: Kysely<Schema>) {
  const eb = expressionBuilder<Schema, 'memories'>()
  const page = shapedStatement<
    Selection,
    { last: string; until: string; limit: number },
    Sized<ExportedMemory>
  >(
    db,
    ({ boundary, filter, deleted }, { value }) => sql<
      Sized<ExportedMemory>
    >`SELECT ${others}, ${memoryBytes} AS bytes,
        ${shortOnly(memoryBytes, head)} AS head, ${shortOnly(memoryBytes, sql`structured`)} AS structured
      FROM memories WHERE ${inSelection(eb, boundary, filter)}
        ${deleted ? sql`` : sql`AND ${unindexed('is_deleted')} = 0`}
        AND id > ${value(({ last }) => last)} AND id <= ${value(({ until }) => until)}
      ORDER BY id LIMIT ${value(({ limit }) => limit)}`,
  )
  const whole = fixedStatement<string, ExportedMemory>(
    db,
    ({ value }) => sql`SELECT ${others}, NULL AS head, ${pieces} FROM memories WHERE id = ${value(id => id)}`,
  )
  const piecesOf = fixedStatement<readonly string[], Pieces>(
    db,
    ({ rows }) => sql`SELECT id, ${pieces} FROM memories
      WHERE id IN (SELECT value FROM ${rows(ids => ids, 'wanted')})`,
  )
  return {
    /** One memory, whoever may see it; none when it is not there. */
    exported: (id: string): Promise<ExportedMemory[]> => whole(id),
    /**
     * Memories behind a place, ascending by id; fewer than `limit`, or none, when their texts are long or few rows are
     * selected. Call it in a transaction.
     * @returns them with the place to go on from; undefined when no row is left.
     */
    exportedAfter: async (
      selection: Selection,
      { last, end = last }: ExportPlace,
      limit: number,
    ): Promise<{ rows: ExportedMemory[]; next: ExportPlace } | undefined> => {
      const until = last < end ? end : await endBehind(db, last)
      if (until === null) return undefined
      const found = await page(selection, { last, until, limit })
      const fitting = found.slice(0, withinBytes(found, maxBytes).length)
      const isAll = found.length < limit && fitting.length === found.length
      const rows = await completed<ExportedMemory>(fitting, row => row.head === null, piecesOf)
      return { rows, next: { last: isAll ? until : (fitting.at(-1) as ExportedMemory).id, end: until } }
    },
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
