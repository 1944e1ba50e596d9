import { sql } from 'kysely'

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
