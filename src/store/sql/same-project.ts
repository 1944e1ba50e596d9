import { type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * Matches rows of a project under each of its keys: rows keep the key under which they were saved
 * (docs/projects.md#joins).
 * @param column name or expression of the column
 * @param project canonical key, or a parameter of a prepared statement
 */
export function sameProject(column: string | RawBuilder<unknown>, project: unknown): RawBuilder<SqlBool> {
  return sql<SqlBool>`${typeof column === 'string' ? sql.ref(column) : column} IN ${keysOfProject(project)}`
}

/** The keys of a project as a list for `IN`. */
export function keysOfProject(project: unknown): RawBuilder<unknown> {
  return sql`(SELECT ${project} UNION ALL SELECT key FROM project_keys WHERE project_keys.project = ${project})`
}
