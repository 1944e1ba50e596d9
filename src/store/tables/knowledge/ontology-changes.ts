import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { OntologyChangesTable } from '../../schema/ontology-schema.js'
import type { Schema } from '../../schema/schema.js'
import { listOf, rowsOf, thenJoin } from '../../sql/dialect.js'

export type OntologyChangeRow = Selectable<OntologyChangesTable>

/** Tables whose rows a change may touch, in the order in which rows are inserted again. */
const imagedTables = [
  'entities',
  'entity_names',
  'claims',
  'claim_versions',
  'entity_links',
  'entity_mentions',
  'evidence_spans',
  'ontology_proposals',
] as const
type ImagedTable = (typeof imagedTables)[number]
type ImageRow = Readonly<Record<string, string | number | null>>

/** A row before and after a change; null when it did not exist. */
export interface RowImage {
  table: ImagedTable
  before: ImageRow | null
  after: ImageRow | null
}

/** Rows by table and key. */
export type RowImages = ReadonlyMap<string, { table: ImagedTable; row: ImageRow }>

/** Rows that a change may touch. */
export interface ImageScope {
  entities: readonly string[]
  proposals: readonly string[]
}

const keys: Readonly<Record<ImagedTable, readonly string[]>> = {
  entities: ['id'],
  entity_names: ['agent_id', 'name_key', 'entity_id'],
  claims: ['id'],
  claim_versions: ['id'],
  entity_links: ['id'],
  entity_mentions: ['entity_id', 'memory_id'],
  evidence_spans: ['id'],
  ontology_proposals: ['id'],
}
/** Counters and times that later work changes without contradicting an undo. */
const loose = new Set(['updated_at', 'mentions', 'confidence'])

/** Changes that can be undone, with the rows that each changed. */
export function ontologyChangesTable(db: Kysely<Schema>) {
  return {
    insert: async (row: Insertable<OntologyChangesTable>): Promise<void> => {
      await db.insertInto('ontology_changes').values(row).execute()
    },
    /** Deletes changes before a time, which are too old to be undone. */
    purge: async (agentId: string, before: string): Promise<void> => {
      await db
        .deleteFrom('ontology_changes')
        .where('agent_id', '=', agentId)
        .where('at', '<', before)
        .execute()
    },
    /** Returns the changes of an agent since a time, newest first. */
    since: (agentId: string, at: string, limit: number): Promise<OntologyChangeRow[]> =>
      db
        .selectFrom('ontology_changes')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('at', '>=', at)
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    /** Returns the changes of a request, newest first. */
    ofBatch: (agentId: string, batch: string): Promise<OntologyChangeRow[]> =>
      db
        .selectFrom('ontology_changes')
        .selectAll()
        .where('batch', '=', batch)
        .where('agent_id', '=', agentId)
        .orderBy('id', 'desc')
        .execute(),
    markUndone: async (id: string, at: string): Promise<void> => {
      await db.updateTable('ontology_changes').set({ undone_at: at }).where('id', '=', id).execute()
    },
    /** Returns the rows of entities and proposals, with all that belongs to them. */
    images: (scope: ImageScope): Promise<RowImages> => imagesOf(db, scope),
    /** Returns whether every changed row still is as the change left it. */
    isUnchanged: async (images: readonly RowImage[]): Promise<boolean> => {
      for (const { table, after } of images) {
        if (after === null) continue
        const now = await rowLike(db, table, after)
        if (!now || !isSameRow(now, after)) return false
      }
      return true
    },
    /** Writes changed rows back as they were before. @returns false if later work prevents it */
    restore: (images: readonly RowImage[]): Promise<boolean> => restore(db, images),
  }
}

/** Returns the rows that differ between two images. */
export function changedRows(before: RowImages, after: RowImages): RowImage[] {
  const all = new Set([...before.keys(), ...after.keys()])
  return [...all].flatMap(key => {
    const [one, other] = [before.get(key), after.get(key)]
    const { table } = (one ?? other) as { table: ImagedTable }
    const isSame = JSON.stringify(one?.row) === JSON.stringify(other?.row)
    return isSame ? [] : [{ table, before: one?.row ?? null, after: other?.row ?? null }]
  })
}

async function imagesOf(db: Kysely<Schema>, { entities, proposals }: ImageScope): Promise<RowImages> {
  const found = new Map<string, { table: ImagedTable; row: ImageRow }>()
  const add = async (table: ImagedTable, statement: RawBuilder<ImageRow>): Promise<ImageRow[]> => {
    const { rows } = await statement.execute(db)
    for (const row of rows) found.set(keyOf(table, row), { table, row })
    return rows
  }
  const of = (table: ImagedTable, column: string, ids: readonly string[]) =>
    sql<ImageRow>`SELECT t.* FROM ${rowsOf(ids, 'e')} ${thenJoin} ${sql.table(table)} t
      ON t.${sql.ref(column)} = e.value`
  const ids = [...new Set(entities)]
  await add('entities', of('entities', 'id', ids))
  await add('entity_names', of('entity_names', 'entity_id', ids))
  const claims = await add('claims', of('claims', 'entity_id', ids))
  const claimIds = claims.map(({ id }) => String(id))
  const versions = await add('claim_versions', of('claim_versions', 'claim_id', claimIds))
  const links = [
    ...(await add('entity_links', of('entity_links', 'from_id', ids))),
    ...(await add('entity_links', of('entity_links', 'to_id', ids))),
  ]
  await add('entity_mentions', of('entity_mentions', 'entity_id', ids))
  const subjects = [...ids, ...[...versions, ...links].map(({ id }) => String(id))]
  await add(
    'evidence_spans',
    sql<ImageRow>`SELECT id, subject_id FROM evidence_spans WHERE subject_id IN ${listOf(subjects)}`,
  )
  await add('ontology_proposals', of('ontology_proposals', 'id', proposals))
  return found
}

function keyOf(table: ImagedTable, row: ImageRow): string {
  return JSON.stringify([table, ...keys[table].map(column => row[column])])
}

async function rowLike(db: Kysely<Schema>, table: ImagedTable, row: ImageRow): Promise<ImageRow | undefined> {
  const { rows } = await sql<ImageRow>`SELECT * FROM ${sql.table(table)} WHERE ${isRow(table, row)}`.execute(
    db,
  )
  return rows[0]
}

function isSameRow(now: ImageRow, after: ImageRow): boolean {
  return Object.entries(after).every(([column, value]) => loose.has(column) || now[column] === value)
}

function isRow(table: ImagedTable, row: ImageRow): RawBuilder<unknown> {
  return sql.join(
    keys[table].map(column => sql`${sql.ref(column)} = ${row[column]}`),
    sql` AND `,
  )
}

/**
 * Deletes what the change created, moves everything else back, and then gives names back, since an active
 * name belongs to one entity. A new entity that later work uses stays.
 * @returns false when such an entity has a name that must be given back; the caller rolls back
 */
async function restore(db: Kysely<Schema>, images: readonly RowImage[]): Promise<boolean> {
  const of = (table: ImagedTable) => images.filter(image => image.table === table)
  const created = of('entities').flatMap(({ before, after }) => (before === null && after ? [after] : []))
  const isCreated = (id: unknown) => created.some(row => row.id === id)
  for (const table of [...imagedTables].reverse())
    for (const { before, after } of table === 'entities' ? [] : of(table)) {
      // The names of a new entity are deleted with it, and stay with it.
      const isKept = table === 'entity_names' && isCreated(after?.entity_id)
      if (before === null && after !== null && !isKept) await removeRow(db, table, after)
    }
  for (const table of imagedTables)
    if (table !== 'entity_names') for (const image of of(table)) await putBack(db, image)
  for (const row of created) await removeRow(db, 'entities', row)
  const left = await imagesOf(db, { entities: created.map(({ id }) => String(id)), proposals: [] })
  const isGivenBack = of('entity_names').some(
    ({ before, after }) => before?.active === 1 && after?.active !== 1,
  )
  if (left.size > 0 && isGivenBack) return false
  // Retired names first: the same name may be active elsewhere.
  const names = of('entity_names').sort((a, b) => Number(a.before?.active) - Number(b.before?.active))
  for (const image of names) await putBack(db, image)
  return true
}

async function putBack(db: Kysely<Schema>, { table, before, after }: RowImage): Promise<void> {
  if (before === null) return
  const isThere = after !== null || table === 'evidence_spans'
  await (isThere ? updateRow(db, table, before) : insertRow(db, table, before))
}

async function removeRow(db: Kysely<Schema>, table: ImagedTable, row: ImageRow): Promise<void> {
  if (table === 'evidence_spans') {
    await sql`UPDATE evidence_spans SET subject_id = NULL WHERE ${isRow(table, row)}`.execute(db)
    return
  }
  const unused: Partial<Record<ImagedTable, RawBuilder<unknown>>> = {
    claims: sql`AND NOT EXISTS (SELECT 1 FROM claim_versions v WHERE v.claim_id = claims.id)`,
    entities: sql`AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.entity_id = entities.id)
      AND NOT EXISTS (SELECT 1 FROM entity_links l WHERE l.from_id = entities.id)
      AND NOT EXISTS (SELECT 1 FROM entity_links l WHERE l.to_id = entities.id)`,
  }
  await sql`DELETE FROM ${sql.table(table)} WHERE ${isRow(table, row)} ${unused[table] ?? sql``}`.execute(db)
}

async function updateRow(db: Kysely<Schema>, table: ImagedTable, row: ImageRow): Promise<void> {
  const columns = Object.keys(row).filter(column => !keys[table].includes(column))
  if (columns.length === 0) return
  const values = sql.join(columns.map(column => sql`${sql.ref(column)} = ${row[column]}`))
  await sql`UPDATE ${sql.table(table)} SET ${values} WHERE ${isRow(table, row)}`.execute(db)
}

async function insertRow(db: Kysely<Schema>, table: ImagedTable, row: ImageRow): Promise<void> {
  const columns = Object.keys(row)
  // A memory may have been deleted for ever since then, with its mentions.
  const isPossible =
    table === 'entity_mentions'
      ? sql`WHERE EXISTS (SELECT 1 FROM memories WHERE id = ${row.memory_id})`
      : sql``
  await sql`INSERT INTO ${sql.table(table)} (${sql.join(columns.map(column => sql.ref(column)))})
    SELECT ${sql.join(columns.map(column => row[column]))} ${isPossible}`.execute(db)
}
