import { type Kysely, type Selectable, sql } from 'kysely'
import type { ConnectorsTable } from '../../schema/document-schema.js'
import type { Schema } from '../../schema/schema.js'
import { listOf } from '../../sql/dialect.js'

export type ConnectorRow = Selectable<ConnectorsTable>

/** Connectors, with what the last sync of each came to. */
export function connectorsTable(db: Kysely<Schema>) {
  return { ...registry(db), ...syncs(db) }
}

function registry(db: Kysely<Schema>) {
  return {
    insert: async (row: ConnectorRow): Promise<void> => {
      await db.insertInto('connectors').values(row).execute()
    },
    find: (id: string): Promise<ConnectorRow | undefined> =>
      db.selectFrom('connectors').selectAll().where('id', '=', id).executeTakeFirst(),
    /** Newest first: ids are in the order of time. */
    list: (): Promise<ConnectorRow[]> =>
      db.selectFrom('connectors').selectAll().orderBy('id', 'desc').execute(),
    remove: async (id: string): Promise<void> => {
      await db.deleteFrom('connectors').where('id', '=', id).execute()
    },
  }
}

function syncs(db: Kysely<Schema>) {
  return {
    change: async (id: string, change: Partial<ConnectorRow>): Promise<void> => {
      await db.updateTable('connectors').set(change).where('id', '=', id).execute()
    },
    /** Ends syncs that nobody does any more. @param running ids of those that go on. */
    endLeft: async (running: readonly string[], why: string, now: string): Promise<void> => {
      await sql`UPDATE connectors SET status = 'error', last_error = ${why}, updated_at = ${now}
        WHERE status = 'syncing' AND id NOT IN ${listOf(running)}`.execute(db)
    },
    /** @param result JSON. */
    putResult: async (id: string, result: string): Promise<void> => {
      await db
        .insertInto('connector_results')
        .values({ connector_id: id, result_json: result })
        .onConflict(conflict => conflict.column('connector_id').doUpdateSet({ result_json: result }))
        .execute()
    },
    resultOf: async (id: string): Promise<string | undefined> => {
      const row = await db
        .selectFrom('connector_results')
        .select('result_json')
        .where('connector_id', '=', id)
        .executeTakeFirst()
      return row?.result_json
    },
  }
}
