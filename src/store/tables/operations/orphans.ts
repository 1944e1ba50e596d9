import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { type CatalogueTable, columnsOf, referencesOf, tablesIn } from '../../sql/catalogue.js'
import { flag, rowNumber } from '../../sql/dialect.js'
import { unpackedId } from '../../sql/packed.js'

/** Values of the columns by which a row of a table is found, in their order. */
export type RowKey = readonly (string | number)[]

/** What rows of one table need elsewhere, and by what they are found. */
export interface OwnedTable {
  table: string
  /** Columns of the key; empty for the number of the row. */
  key: readonly string[]
  /** Tables that their owners stand in. */
  owners: readonly string[]
}

/** A stretch of a table that was looked at. */
export interface OrphanLook {
  /** Rows whose owner is gone. */
  orphans: RowKey[]
  seen: number
  /** Where the next stretch begins; undefined at the end of the table. */
  next: RowKey | undefined
}

export interface Owned extends OwnedTable {
  /** Whether a row, called `r`, has no owner. */
  isOrphan: RawBuilder<unknown>
}

/**
 * Rows whose owner is gone: by the foreign keys, which hold what this program writes and nothing that others do, and by
 * what the schema can't say.
 */
export function orphansTable(db: Kysely<Schema>) {
  let known: Promise<readonly Owned[]> | undefined
  const owned = (): Promise<readonly Owned[]> => {
    known ??= ownedTables(db)
    return known
  }
  return {
    /** Every table whose rows have owners. */
    tables: owned,
    /** Looks at the next rows of a table in the order of their keys. @throws Error for a table without owners. */
    look: async (table: string, after: RowKey | undefined, limit: number): Promise<OrphanLook> => {
      const one = (await owned()).find(candidate => candidate.table === table)
      if (!one) throw new Error(`rows of ${JSON.stringify(table)} have no owners`)
      return lookAt(db, one, after, limit)
    },
    /** Bodies of conversations, in order, with whether anything is known of each. */
    bodies: async (after: string, limit: number): Promise<{ id: string; orphaned: 0 | 1 }[]> => {
      const { rows } = await sql<{ id: string; orphaned: 0 | 1 }>`SELECT r.body_id AS id,
          ${flag(sql`NOT ${isKnownBody}`)} AS orphaned
        FROM (SELECT DISTINCT body_id FROM transcript_messages WHERE body_id > ${after}
          ORDER BY body_id LIMIT ${limit}) r ORDER BY r.body_id`.execute(db)
      return rows
    },
  }
}

async function lookAt(
  db: Kysely<Schema>,
  { table, key, isOrphan }: Owned,
  after: RowKey | undefined,
  limit: number,
): Promise<OrphanLook> {
  const columns = key.length > 0 ? key.map(column => sql.ref(`r.${column}`)) : [rowNumber('r')]
  const tuple = sql.join(columns)
  const behind = after ? sql`WHERE (${tuple}) > (${sql.join([...after])})` : sql``
  const named = sql.join(columns.map((column, at) => sql`${column} AS ${sql.ref(`k${at}`)}`))
  const { rows } = await sql<Record<string, string | number>>`SELECT ${named}, ${flag(isOrphan)} AS orphaned
    FROM ${sql.table(table)} AS r ${behind} ORDER BY ${tuple} LIMIT ${limit}`.execute(db)
  const keyOf = (row: Record<string, string | number>): RowKey =>
    columns.map((_, at) => row[`k${at}`] as string | number)
  const last = rows.length === limit ? rows.at(-1) : undefined
  return {
    orphans: rows.filter(row => row.orphaned === 1).map(keyOf),
    seen: rows.length,
    next: last && keyOf(last),
  }
}

async function ownedTables(db: Kysely<Schema>): Promise<readonly Owned[]> {
  const found: Owned[] = []
  for (const table of await tablesIn(db)) {
    if (table.kind !== 'table' || table.name.startsWith('sqlite_')) continue
    const references = await referencesOf(db, table.name)
    const conditions = [
      ...references.map(one => lacks(one.table, one.columns, ownColumns(one.references))),
      ...(unwritten[table.name]?.map(({ isOrphan }) => isOrphan) ?? []),
    ]
    if (conditions.length === 0) continue
    found.push({
      table: table.name,
      key: await keyOf(db, table),
      owners: [
        ...new Set([
          ...references.map(one => one.table),
          ...(unwritten[table.name]?.flatMap(({ owners }) => owners) ?? []),
        ]),
      ],
      isOrphan: sql`(${sql.join(conditions, sql` OR `)})`,
    })
  }
  return found
}

/** Our foreign keys name the columns that they lead to. */
function ownColumns(references: readonly (string | null)[]): string[] {
  return references.map(column => column ?? 'id')
}

async function keyOf(db: Kysely<Schema>, { name, numbered }: CatalogueTable): Promise<string[]> {
  if (numbered) return []
  const columns = await columnsOf(db, name)
  return columns
    .filter(({ primaryKey }) => primaryKey > 0)
    .sort((a, b) => a.primaryKey - b.primaryKey)
    .map(column => column.name)
}

/** Whether a row `r` names an owner that is not there. */
function lacks(owner: string, columns: readonly string[], owned: readonly string[]): RawBuilder<unknown> {
  const named = columns.map(column => sql`${sql.ref(`r.${column}`)} IS NOT NULL`)
  return sql`(${sql.join(named, sql` AND `)} AND NOT ${holds(owner, columns, owned)})`
}

function holds(owner: string, columns: readonly string[], owned: readonly string[]): RawBuilder<unknown> {
  const same = columns.map((column, at) => sql`${sql.ref(`o.${owned[at]}`)} = ${sql.ref(`r.${column}`)}`)
  return sql`EXISTS (SELECT 1 FROM ${sql.table(owner)} AS o WHERE ${sql.join(same, sql` AND `)})`
}

/** Whether an event `r` is of a memory that stands there. */
function holdsMemory(owner: string): RawBuilder<unknown> {
  return sql`EXISTS (SELECT 1 FROM ${sql.table(owner)} AS o WHERE o.id = ${unpackedId('r.memory_id')})`
}

/** A conversation that is shown, or one that a capture or an import is writing. */
const isKnownBody = sql`(${holds('transcripts', ['body_id'], ['body_id'])}
  OR EXISTS (SELECT 1 FROM transcript_captures c
    WHERE c.status IN ('queued', 'running') AND c.body_id = r.body_id)
  OR EXISTS (SELECT 1 FROM transcript_captures c
    WHERE c.stale_body_id IS NOT NULL AND c.stale_body_id = r.body_id)
  OR ${holds('transcript_import_bodies', ['body_id'], ['body_id'])})`

interface Unwritten {
  owners: readonly string[]
  isOrphan: RawBuilder<unknown>
}

/** Owners that no foreign key names: there are several, or only some rows have one. */
const unwritten: Readonly<Record<string, readonly Unwritten[]>> = {
  memory_history: [
    {
      owners: ['memories', 'cold_memories'],
      // Of a memory that was deleted for good the events stay, without its text.
      isOrphan: sql`(COALESCE(r.old_content, r.new_content) IS NOT NULL AND NOT ${holdsMemory('memories')}
        AND NOT ${holdsMemory('cold_memories')})`,
    },
  ],
  transcript_chunks: [
    { owners: ['transcripts', 'transcript_captures'], isOrphan: sql`(r.removed = 0 AND NOT ${isKnownBody})` },
  ],
  source_artifacts: [{ owners: ['sources'], isOrphan: lacks('sources', ['source_id'], ['id']) }],
  source_chunks: [
    {
      owners: ['source_artifacts'],
      isOrphan: sql`(r.removed = 0 AND ${lacks('source_artifacts', ['artifact_id'], ['id'])})`,
    },
  ],
  claim_versions: [{ owners: ['entities'], isOrphan: lacks('entities', ['entity_id'], ['id']) }],
}
