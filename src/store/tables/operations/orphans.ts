import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { type CatalogueTable, columnsOf, referencesOf, tablesIn } from '../../sql/catalogue.js'
import { flag, rowNumber } from '../../sql/dialect.js'
import { unpackedId } from '../../sql/packed.js'

/** Key values of a row, in the order of the key's columns. */
export type RowKey = readonly (string | number)[]

/** A table whose rows depend on rows elsewhere. */
export interface OwnedTable {
  table: string
  /** Key columns; empty for tables keyed by row number. */
  key: readonly string[]
  /** Tables that contain the owners. */
  owners: readonly string[]
}

/** The result of scanning one stretch of a table. */
export interface OrphanScan {
  /** Rows whose owner is missing. */
  orphans: RowKey[]
  seen: number
  /** First key of the next stretch; undefined at the end of the table. */
  next: RowKey | undefined
}

export interface OrphanSource extends OwnedTable {
  /** SQL condition: the row, called `r`, has no owner. */
  isOrphan: RawBuilder<unknown>
}

/** A row whose owner is missing, with its agent, from the row itself or from its memory's cold copy. */
export interface Orphan {
  key: RowKey
  /** Undefined when the agent is unknown. */
  agentId: string | undefined
}

const indexed = 'a keyword index contains them and would miss the deletion; no search shows them'

const keepReasons: ReadonlyMap<string, string> = new Map([
  ['memory_history', 'this may be the only copy of these memories; it is deleted after 180 days'],
  ['source_artifacts', indexed],
  ['source_chunks', indexed],
  ['transcript_chunks', indexed],
])

/** Returns why orphans of a table are not deleted; undefined when they are. */
export function keepReason(table: string): string | undefined {
  return keepReasons.get(table)
}

/** Deletes rows whose owner is missing. */
export function orphanRemovalTable(db: Kysely<Schema>) {
  return {
    /** Returns the agent of each row. */
    agentsOf: async (owned: OrphanSource, keys: readonly RowKey[]): Promise<Orphan[]> => {
      const columns = new Set((await columnsOf(db, owned.table)).map(({ name }) => name))
      const agent = columns.has('agent_id')
        ? sql`r.agent_id`
        : columns.has('memory_id')
          ? sql`(SELECT c.agent_id FROM cold_memories c WHERE c.id = ${unpackedId('r.memory_id')} LIMIT 1)`
          : undefined
      const found: Orphan[] = []
      for (const key of keys) found.push({ key, agentId: agent && (await agentOf(db, owned, key, agent)) })
      return found
    },
    /** Deletes the given rows that still have no owner. @returns the number deleted. */
    drop: async (owned: OrphanSource, keys: readonly RowKey[]): Promise<number> => {
      let dropped = 0
      for (const key of keys) {
        const { rows } = await sql`SELECT 1 FROM ${sql.table(owned.table)} AS r
          WHERE ${isKey(owned, key, 'r')} AND ${owned.isOrphan}`.execute(db)
        if (rows.length === 0) continue
        const { numAffectedRows = 0n } = await sql`DELETE FROM ${sql.table(owned.table)}
          WHERE ${isKey(owned, key, owned.table)}`.execute(db)
        dropped += Number(numAffectedRows)
      }
      return dropped
    },
  }
}

async function agentOf(
  db: Kysely<Schema>,
  owned: OrphanSource,
  key: RowKey,
  agent: RawBuilder<unknown>,
): Promise<string | undefined> {
  const { rows } = await sql<{ agent: string | null }>`SELECT ${agent} AS agent
    FROM ${sql.table(owned.table)} AS r WHERE ${isKey(owned, key, 'r')}`.execute(db)
  return rows[0]?.agent ?? undefined
}

function isKey({ key: columns }: OrphanSource, key: RowKey, alias: string): RawBuilder<unknown> {
  if (columns.length === 0) return sql`${rowNumber(alias)} = ${key[0]}`
  return sql.join(
    columns.map((column, at) => sql`${sql.ref(`${alias}.${column}`)} = ${key[at]}`),
    sql` AND `,
  )
}

/**
 * Finds rows whose owner is missing. Foreign keys do not bind other programs, and some rules the schema
 * cannot express.
 */
export function orphansTable(db: Kysely<Schema>) {
  let known: Promise<readonly OrphanSource[]> | undefined
  const owned = (): Promise<readonly OrphanSource[]> => {
    known ??= ownedTables(db)
    return known
  }
  return {
    /** Returns the tables whose rows have owners. */
    tables: owned,
    /** Scans the next rows of a table in key order. @throws Error for a table without owners. */
    look: async (table: string, after: RowKey | undefined, limit: number): Promise<OrphanScan> => {
      const one = (await owned()).find(candidate => candidate.table === table)
      if (!one) throw new Error(`rows of ${JSON.stringify(table)} have no owners`)
      return scanTable(db, one, after, limit)
    },
    /** Returns transcript bodies in order, each with whether it is orphaned. */
    bodies: async (after: string, limit: number): Promise<{ id: string; orphaned: 0 | 1 }[]> => {
      const { rows } = await sql<{ id: string; orphaned: 0 | 1 }>`SELECT r.body_id AS id,
          ${flag(sql`NOT ${isKnownBody}`)} AS orphaned
        FROM (SELECT DISTINCT body_id FROM transcript_messages WHERE body_id > ${after}
          ORDER BY body_id LIMIT ${limit}) r ORDER BY r.body_id`.execute(db)
      return rows
    },
  }
}

async function scanTable(
  db: Kysely<Schema>,
  { table, key, isOrphan }: OrphanSource,
  after: RowKey | undefined,
  limit: number,
): Promise<OrphanScan> {
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

async function ownedTables(db: Kysely<Schema>): Promise<readonly OrphanSource[]> {
  const found: OrphanSource[] = []
  for (const table of await tablesIn(db)) {
    if (table.kind !== 'table' || table.name.startsWith('sqlite_')) continue
    const references = await referencesOf(db, table.name)
    const conditions = [
      ...references.map(one => lacksOwner(one.table, one.columns, ownColumns(one.references))),
      ...(implicitOwners[table.name]?.map(({ isOrphan }) => isOrphan) ?? []),
    ]
    if (conditions.length === 0) continue
    found.push({
      table: table.name,
      key: await keyOf(db, table),
      owners: [
        ...new Set([
          ...references.map(one => one.table),
          ...(implicitOwners[table.name]?.flatMap(({ owners }) => owners) ?? []),
        ]),
      ],
      isOrphan: sql`(${sql.join(conditions, sql` OR `)})`,
    })
  }
  return found
}

/** All our foreign keys name their target columns. */
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

/** SQL condition: row `r` names a missing owner. */
function lacksOwner(
  owner: string,
  columns: readonly string[],
  owned: readonly string[],
): RawBuilder<unknown> {
  const named = columns.map(column => sql`${sql.ref(`r.${column}`)} IS NOT NULL`)
  return sql`(${sql.join(named, sql` AND `)} AND NOT ${hasOwner(owner, columns, owned)})`
}

function hasOwner(owner: string, columns: readonly string[], owned: readonly string[]): RawBuilder<unknown> {
  const same = columns.map((column, at) => sql`${sql.ref(`o.${owned[at]}`)} = ${sql.ref(`r.${column}`)}`)
  return sql`EXISTS (SELECT 1 FROM ${sql.table(owner)} AS o WHERE ${sql.join(same, sql` AND `)})`
}

/** SQL condition: the memory of event `r` exists in `owner`. */
function hasMemory(owner: string): RawBuilder<unknown> {
  return sql`EXISTS (SELECT 1 FROM ${sql.table(owner)} AS o WHERE o.id = ${unpackedId('r.memory_id')})`
}

/** A body is known when its transcript is shown, or a capture or import is writing it. */
const isKnownBody = sql`(${hasOwner('transcripts', ['body_id'], ['body_id'])}
  OR EXISTS (SELECT 1 FROM transcript_captures c
    WHERE c.status IN ('queued', 'running') AND c.body_id = r.body_id)
  OR EXISTS (SELECT 1 FROM transcript_captures c
    WHERE c.stale_body_id IS NOT NULL AND c.stale_body_id = r.body_id)
  OR ${hasOwner('transcript_import_bodies', ['body_id'], ['body_id'])})`

interface ImplicitOwner {
  owners: readonly string[]
  isOrphan: RawBuilder<unknown>
}

/** Owners without a foreign key: there are several candidates, or only some rows have an owner. */
const implicitOwners: Readonly<Record<string, readonly ImplicitOwner[]>> = {
  memory_vectors: [
    {
      owners: ['memories'],
      isOrphan: sql`NOT EXISTS (SELECT 1 FROM memories AS o
        WHERE ${rowNumber('o')} = ${rowNumber('r')} AND o.id = r.memory_id)`,
    },
  ],
  memory_history: [
    {
      owners: ['memories', 'cold_memories'],
      // Events of a permanently deleted memory stay, without its text.
      isOrphan: sql`(COALESCE(r.old_content, r.new_content) IS NOT NULL AND NOT ${hasMemory('memories')}
        AND NOT ${hasMemory('cold_memories')})`,
    },
  ],
  transcript_chunks: [
    { owners: ['transcripts', 'transcript_captures'], isOrphan: sql`(r.removed = 0 AND NOT ${isKnownBody})` },
  ],
  source_artifacts: [{ owners: ['sources'], isOrphan: lacksOwner('sources', ['source_id'], ['id']) }],
  source_chunks: [
    {
      owners: ['source_artifacts'],
      isOrphan: sql`(r.removed = 0 AND ${lacksOwner('source_artifacts', ['artifact_id'], ['id'])})`,
    },
  ],
  claim_versions: [{ owners: ['entities'], isOrphan: lacksOwner('entities', ['entity_id'], ['id']) }],
}
