import { type Kysely, type Selectable, sql } from 'kysely'
import type { ConnectorFilesTable, ConnectorsTable } from '../../schema/document-schema.js'
import type { Schema } from '../../schema/schema.js'
import { listOf } from '../../sql/dialect.js'
import { isHeld } from '../platform/nodes.js'
import { notDeletedStatuses } from './documents.js'

export type ConnectorRow = Selectable<ConnectorsTable>

/** Connectors and the results of their last syncs. */
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
    /** Newest first, because ids are ordered by time. */
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
    /** Marks interrupted syncs as failed. @param running ids of the syncs that this daemon runs. */
    endLeft: async (running: readonly string[], why: string, now: string): Promise<void> => {
      await sql`UPDATE connectors SET status = 'error', last_error = ${why}, updated_at = ${now}
        WHERE status = 'syncing' AND id NOT IN ${listOf(running)}
          AND NOT ${isHeld('connector', sql.ref('connectors.id'))}`.execute(db)
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

export type ConnectorFile = Selectable<ConnectorFilesTable>

/** The number of a connector's documents in one state. */
export interface ConnectorDocuments {
  status: string
  count: number
  chunks: number
}

/** Files imported by connectors, and the documents made from them. */
export function connectorFilesTable(db: Kysely<Schema>) {
  return {
    /** Returns files of a connector after a path, ordered by path. */
    page: (connectorId: string, after: string, limit: number): Promise<ConnectorFile[]> =>
      db
        .selectFrom('connector_files')
        .selectAll()
        .where('connector_id', '=', connectorId)
        .where('path', '>', after)
        .orderBy('path')
        .limit(limit)
        .execute(),
    put: async (file: ConnectorFile): Promise<void> => {
      const { connector_id: _connector, path: _path, ...seen } = file
      await db
        .insertInto('connector_files')
        .values(file)
        .onConflict(conflict => conflict.columns(['connector_id', 'path']).doUpdateSet(seen))
        .execute()
    },
    forget: async (connectorId: string, paths: readonly string[]): Promise<void> => {
      await sql`DELETE FROM connector_files
        WHERE connector_id = ${connectorId} AND path IN ${listOf(paths)}`.execute(db)
    },
    /** Returns ids of a connector's documents that are not deleted, at most `limit`. */
    documentsOf: async (connectorId: string, limit: number): Promise<string[]> => {
      const rows = await db
        .selectFrom('documents')
        .select('id')
        .where('connector_id', '=', connectorId)
        .where('status', 'in', notDeletedStatuses)
        .limit(limit)
        .execute()
      return rows.map(({ id }) => id)
    },
    countsOf: (connectorId: string): Promise<ConnectorDocuments[]> =>
      db
        .selectFrom('documents')
        .select([
          'status',
          sql<number>`count(*)`.as('count'),
          sql<number>`COALESCE(sum(chunk_count), 0)`.as('chunks'),
        ])
        .where('connector_id', '=', connectorId)
        .where('status', 'in', notDeletedStatuses)
        .groupBy('status')
        .execute(),
    /** Counts documents, except deleted ones, with an address from `from` to before `to`. */
    countBetween: async (from: string, to: string): Promise<number> => {
      const { count } = await db
        .selectFrom('documents')
        .select(sql<number>`count(*)`.as('count'))
        .where('source_url', '>=', from)
        .where('source_url', '<', to)
        // Matches the condition of the index.
        .where(sql<boolean>`source_url IS NOT NULL AND status <> 'deleted'`)
        .executeTakeFirstOrThrow()
      return count
    },
  }
}
