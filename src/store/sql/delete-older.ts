import type { Kysely } from 'kysely'
import type { Schema } from '../schema/schema.js'

/**
 * Deletes rows created before a time (ISO 8601), oldest first, at most `limit`.
 * @returns the number deleted.
 */
export async function deleteOlder(
  db: Kysely<Schema>,
  table: 'recall_records' | 'continuity_scores',
  before: string,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom(table)
    .where('id', 'in', eb =>
      eb.selectFrom(table).select('id').where('created_at', '<', before).orderBy('created_at').limit(limit),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
