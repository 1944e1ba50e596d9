import { type Kysely, type Selectable, sql } from 'kysely'
import type { ConnectorFilesTable } from '../../schema/document-schema.js'
import type { Schema } from '../../schema/schema.js'
import { listOf } from '../../sql/dialect.js'
import { living } from './documents.js'

export type ConnectorFile = Selectable<ConnectorFilesTable>

/** Documents of one connector, by state. */
export interface ConnectorDocuments {
  status: string
  count: number
  chunks: number
}

/** Files that connectors took in, and the documents that they became. */
export function connectorFilesTable(db: Kysely<Schema>) {
  return {
    /** Files of a connector after a path, in the order of their paths. */
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
    /** Documents of a connector that are not deleted, at most `limit`. */
    documentsOf: async (connectorId: string, limit: number): Promise<string[]> => {
      const rows = await db
        .selectFrom('documents')
        .select('id')
        .where('connector_id', '=', connectorId)
        .where('status', 'in', living)
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
        .where('status', 'in', living)
        .groupBy('status')
        .execute(),
    /** Documents whose address is at least `from` and less than `to`, deleted ones excepted. */
    countBetween: async (from: string, to: string): Promise<number> => {
      const { count } = await db
        .selectFrom('documents')
        .select(sql<number>`count(*)`.as('count'))
        .where('source_url', '>=', from)
        .where('source_url', '<', to)
        // As in the condition of the index.
        .where(sql<boolean>`source_url IS NOT NULL AND status <> 'deleted'`)
        .executeTakeFirstOrThrow()
      return count
    },
  }
}
