import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { RepairOperationsTable } from '../../schema/operations-schema.js'
import type { Schema } from '../../schema/schema.js'

export type RepairOperation = Selectable<RepairOperationsTable>

/** How far repairs came that take several calls; one of them runs for each action and scope. */
export function repairOperationsTable(db: Kysely<Schema>) {
  return {
    find: (id: string): Promise<RepairOperation | undefined> =>
      db.selectFrom('repair_operations').selectAll().where('id', '=', id).executeTakeFirst(),
    running: (action: string, scope: string): Promise<RepairOperation | undefined> =>
      db
        .selectFrom('repair_operations')
        .selectAll()
        .where('action', '=', action)
        .where('scope', '=', scope)
        // As in the condition of the index.
        .where(sql<boolean>`status = 'running'`)
        .executeTakeFirst(),
    /** Begins one, and takes out those that nobody went on with since a time. */
    begin: async (row: Insertable<RepairOperationsTable>, keptSince: string): Promise<void> => {
      await db.insertInto('repair_operations').values(row).execute()
      await db.deleteFrom('repair_operations').where('updated_at', '<', keptSince).execute()
    },
    save: async (
      id: string,
      change: Pick<RepairOperation, 'status' | 'place' | 'counts' | 'error' | 'updated_at'>,
    ): Promise<void> => {
      await db.updateTable('repair_operations').set(change).where('id', '=', id).execute()
    },
  }
}
