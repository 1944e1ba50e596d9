import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema/schema.js'

/** Whether a table has so many rows, whatever they are; no more of them are looked at. */
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
