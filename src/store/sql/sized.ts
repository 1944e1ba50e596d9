import { type RawBuilder, sql } from 'kysely'

/** A row's id with the size of its texts. */
export interface SizedId {
  id: string
  bytes: number
}

/** Bytes of a memory's long texts; SQLite knows them without reading the texts. */
export const memoryBytes = sql<number>`octet_length(content) + COALESCE(octet_length(structured), 0)`

/** The first ids that together stay within `maxBytes`, and at least one. */
export function withinBytes(rows: readonly SizedId[], maxBytes: number): string[] {
  let total = 0
  const fitting = rows.filter(({ bytes }, position) => {
    total += bytes
    return position === 0 || total <= maxBytes
  })
  return fitting.map(({ id }) => id)
}

/** Texts of up to so many bytes are read with their row; longer ones by themselves, once they are known to fit. */
const maxInline = 2048

/** A row whose texts came along if they are short. */
export type Sized<Row> = Row & { bytes: number }

/** A text of a row whose texts have so many bytes together; null where that is too much to read it unasked. */
export function shortOnly(bytes: RawBuilder<number>, text: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`CASE WHEN ${bytes} <= ${sql.lit(maxInline)} THEN ${text} END`
}

/**
 * Rows with what did not come along, such as texts that were too long to.
 * @param isLacking tells whose. @param read reads it for some ids
 */
export async function completed<Row extends { id: string }>(
  rows: readonly Row[],
  isLacking: (row: Row) => boolean,
  read: (ids: readonly string[]) => Promise<(Partial<Row> & { id: string })[]>,
): Promise<Row[]> {
  const ids = rows.filter(isLacking).map(({ id }) => id)
  if (ids.length === 0) return [...rows]
  const byId = new Map((await read(ids)).map(pieces => [pieces.id, pieces]))
  return rows.map(row => (isLacking(row) ? { ...row, ...byId.get(row.id) } : row))
}
