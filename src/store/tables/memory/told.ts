import { type RawBuilder, sql } from 'kysely'
import { byIndex, joinChosen, joinNumbers, rowNumber, sameOrNull, thenJoin } from '../../sql/dialect.js'
import { worded } from '../../sql/wordings.js'

/*
 * The memories for session starts and overviews: live, clean, current, without a scope, no chunks of
 * documents. Their index sorts by project, type and importance to two decimals (a level), then by time. The
 * newest of a project and type are the newest of its levels, which are few.
 */

/** First holders are rows of `memories`, further ones rows of `memory_holders`; each has its own index. */
export type HolderTable = 'memories' | 'memory_holders'

/** Match the conditions of the indexes. */
export const isTold: Readonly<Record<HolderTable, RawBuilder<unknown>>> = {
  memories: sql`is_deleted = 0 AND safety_status = 'clean' AND superseded_by IS NULL AND memories.scope IS NULL
    AND memories.type <> 'document_chunk'`,
  memory_holders: sql`tellable = 1 AND scope IS NULL`,
}
const names = {
  memories: { kinds: 'kinds', levels: 'levels', index: 'memories_told' },
  memory_holders: { kinds: 'held_kinds', levels: 'held_levels', index: 'memory_holders_told' },
} as const

/** The table, read through its index of told rows. */
export function toldRows(table: HolderTable): RawBuilder<unknown> {
  return byIndex(table, names[table].index)
}

/** The keys of a project as the table `projects` of a statement; null stands for no project. */
export function projectsOf(project: string | null): RawBuilder<unknown> {
  return project === null
    ? sql`projects (project) AS (SELECT CAST(NULL AS TEXT))`
    : sql`projects (project) AS (SELECT ${project}
        UNION SELECT key FROM project_keys WHERE project_keys.project = ${project})`
}

/**
 * Lists the levels of the table `projects` by skipping through the index. They are the table `levels` or
 * `held_levels` of the statement.
 * @param types as the rows `t`; all without it
 */
export function levelsOf(table: HolderTable, types: RawBuilder<unknown> | undefined): RawBuilder<unknown> {
  const { kinds, levels } = names[table]
  const last = (project: string, column: RawBuilder<unknown>, further: RawBuilder<unknown>) =>
    sql`(${sameOrNull(
      'project',
      project,
      (same, first) => sql`SELECT ${column} AS value FROM ${toldRows(table)}
        WHERE ${isTold[table]} AND ${same} ${further} ORDER BY ${first} ${column} DESC LIMIT 1`,
    )})`
  const type = sql.ref('type')
  const level = sql`ROUND(importance, 2)`
  const listed = types
    ? sql`SELECT p.project, t.value FROM projects p ${thenJoin} ${types} ON TRUE`
    : sql`SELECT p.project, ${last('p.project', type, sql``)} FROM projects p
        UNION ALL SELECT k.project, ${last('k.project', type, sql`AND type < k.type`)}
        FROM ${sql.table(kinds)} k WHERE k.type IS NOT NULL`
  return sql`${sql.table(kinds)} (project, type) AS (${listed}),
    ${sql.table(levels)} (project, type, level) AS (
      SELECT k.project, k.type, ${last('k.project', level, sql`AND type = k.type`)}
      FROM ${sql.table(kinds)} k WHERE k.type IS NOT NULL
      UNION ALL
      SELECT l.project, l.type, ${last('l.project', level, sql`AND type = l.type AND ${level} < l.level`)}
      FROM ${sql.table(levels)} l WHERE l.level IS NOT NULL)`
}

/** Further holders with their memories. */
export const heldRows: RawBuilder<unknown> = sql`memory_holders h ${thenJoin} memories ON memories.id = h.memory_id`
/** Matches the condition of their indexes. */
export const isHeld: RawBuilder<unknown> = sql`h.tellable = 1 AND h.scope IS NULL`

/** The newest rows to choose. */
interface NewestRows {
  /** Conditions on `memories`, and on their further holder `h`. */
  where: RawBuilder<unknown>
  limit: RawBuilder<number> | number
  /** Orders rows of one time. */
  tie?: RawBuilder<unknown>
}

/** Selects the row numbers of the newest told memories of a project. @param project expression outside */
export function newestOfProject(
  table: HolderTable,
  project: string,
  { where, limit, tie = sql`` }: NewestRows,
  own: RawBuilder<unknown> = sql.table('memories'),
): RawBuilder<unknown> {
  const [holder, rows] =
    table === 'memories'
      ? ['memories', sql`${own} WHERE ${isTold.memories}`]
      : ['h', sql`${heldRows} WHERE ${isHeld}`]
  return sameOrNull(
    `${holder}.project`,
    project,
    (same, first) => sql`SELECT ${rowNumber('memories')} FROM ${rows} AND ${same} AND ${where}
      ORDER BY ${first} ${sql.ref(`${holder}.created_at`)} DESC${tie} LIMIT ${limit}`,
  )
}

/**
 * Joins each project and type `l` with the newest of its rows: those of its levels, and on PostgreSQL those
 * of an index by time.
 * @param alias of the joined memories
 */
export function newestOfTypes(table: HolderTable, rows: NewestRows, alias: string): RawBuilder<unknown> {
  const ofLevels = newestOfLevels(table, rows, alias)
  if (table === 'memory_holders') return ofLevels
  return worded(ofLevels, () => {
    const ofType = { ...rows, where: sql`memories.type = l.type AND ${rows.where}` }
    return sql`kinds l ${joinChosen('memories', alias, newestOfProject(table, 'l.project', ofType))}`
  })
}

/**
 * Joins each level `l` with the newest of its rows.
 * @param alias of the joined memories; without one they are `m`, with their numbers alone
 */
export function newestOfLevels(
  table: HolderTable,
  { where, ...chosen }: NewestRows,
  alias?: string,
): RawBuilder<unknown> {
  const holder = table === 'memories' ? 'memories' : 'h'
  const isOfLevel = sql`${sql.ref(`${holder}.type`)} = l.type AND ROUND(${sql.ref(`${holder}.importance`)}, 2) = l.level`
  const rows = newestOfProject(
    table,
    'l.project',
    { ...chosen, where: sql`${isOfLevel} AND ${where}` },
    toldRows('memories'),
  )
  const joined =
    alias === undefined ? joinNumbers('memories', 'm', rows) : joinChosen('memories', alias, rows)
  return sql`${sql.table(names[table].levels)} l ${joined}`
}
