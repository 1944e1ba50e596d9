import type { Insertable, Kysely, Selectable } from 'kysely'
import type { HistoryTable, Schema } from '../schema.js'

export type HistoryRow = Selectable<HistoryTable>

export function historyTable(db: Kysely<Schema>) {
  return {
    append: async (event: Insertable<HistoryTable>): Promise<void> => {
      await db.insertInto('memory_history').values(event).execute()
    },
    /** Oldest first. */
    of: (memoryId: string, limit: number): Promise<HistoryRow[]> =>
      db
        .selectFrom('memory_history')
        .selectAll()
        .where('memory_id', '=', memoryId)
        .orderBy('change')
        .orderBy('id')
        .limit(limit)
        .execute(),
  }
}
