import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema/schema.js'

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
