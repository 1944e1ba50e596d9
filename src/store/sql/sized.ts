import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.js'

/** A row's id with the size of its texts. */
export interface SizedId {
  id: string
  bytes: number
}

/** Bytes of a memory's long texts, which SQLite knows without reading them. */
export const memoryBytes = sql<number>`octet_length(content) + COALESCE(octet_length(structured), 0)`

/** Returns the first ids whose total size is within `maxBytes`, but at least one. */
export function withinBytes(rows: readonly SizedId[], maxBytes: number): string[] {
  let total = 0
  const fitting = rows.filter(({ bytes }, position) => {
    total += bytes
    return position === 0 || total <= maxBytes
  })
  return fitting.map(({ id }) => id)
}

/** Texts up to this size are read with their row; longer ones separately, once they are known to fit. */
const maxInline = 2048

/** A row that includes its texts if they are short. */
export type SizedRow<Row> = Row & { bytes: number }

/** Selects a text if the row's texts are short together; null otherwise. */
export function selectIfShort(bytes: RawBuilder<number>, text: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`CASE WHEN ${bytes} <= ${sql.lit(maxInline)} THEN ${text} END`
}

/**
 * Adds the texts that were too long to be read with the rows.
 * @param isLacking selects the rows. @param read reads the texts of some ids
 */
export async function withLongTexts<Row extends { id: string }>(
  rows: readonly Row[],
  isLacking: (row: Row) => boolean,
  read: (ids: readonly string[]) => Promise<(Partial<Row> & { id: string })[]>,
): Promise<Row[]> {
  const ids = rows.filter(isLacking).map(({ id }) => id)
  if (ids.length === 0) return [...rows]
  const byId = new Map((await read(ids)).map(pieces => [pieces.id, pieces]))
  return rows.map(row => (isLacking(row) ? { ...row, ...byId.get(row.id) } : row))
}

/** Returns whether a table has at least `count` rows, reading no more than that. */
export async function hasAtLeast(
  db: Kysely<Schema>,
  table: 'memories' | 'source_chunks' | 'transcript_chunks',
  count: number,
): Promise<boolean> {
  if (count <= 0) return true
  const row = await db
    .selectFrom(table)
    .select(sql<number>`1`.as('one'))
    .limit(1)
    .offset(count - 1)
    .executeTakeFirst()
  return row !== undefined
}
