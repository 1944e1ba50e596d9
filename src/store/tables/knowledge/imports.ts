import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type { TranscriptImportsTable } from '../../schema/import-schema.js'
import type { Schema } from '../../schema/schema.js'

export type ImportRow = Selectable<TranscriptImportsTable>
export type NewImport = Pick<
  Insertable<TranscriptImportsTable>,
  'id' | 'agent_id' | 'adapter' | 'adapter_version' | 'name' | 'project' | 'created_by' | 'created_at'
>

/** Imports of transcripts (imports.md#states). */
export function importsTable(db: Kysely<Schema>) {
  return {
    add: async (row: NewImport): Promise<void> => {
      await db
        .insertInto('transcript_imports')
        .values({
          ...row,
          state: 'staging',
          lease: 0,
          attempts: 0,
          error: null,
          source_id: null,
          ...noRecords,
          batches: 0,
          updated_at: row.created_at,
          started_at: null,
          completed_at: null,
          removed_at: null,
          elsewhere: 0,
          left_out: '{}',
        })
        .execute()
    },
    find: (id: string): Promise<ImportRow | undefined> =>
      db.selectFrom('transcript_imports').selectAll().where('id', '=', id).executeTakeFirst(),
    bySource: (sourceId: string): Promise<ImportRow | undefined> =>
      db.selectFrom('transcript_imports').selectAll().where('source_id', '=', sourceId).executeTakeFirst(),
    /** Returns imports of an agent, newest first. */
    page: (agentId: string, { limit, offset }: { limit: number; offset: number }): Promise<ImportRow[]> =>
      db
        .selectFrom('transcript_imports')
        .selectAll()
        .where('agent_id', '=', agentId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute(),
    count: async (agentId: string): Promise<number> => {
      const { count } = await db
        .selectFrom('transcript_imports')
        .select(sql<number>`count(*)`.as('count'))
        .where('agent_id', '=', agentId)
        .executeTakeFirstOrThrow()
      return count
    },
    /** Returns unfinished imports, including those interrupted by the daemon's end. */
    open: (): Promise<ImportRow[]> =>
      db
        .selectFrom('transcript_imports')
        .selectAll()
        // Matches the condition of the index.
        .where(sql<boolean>`state IN ('queued', 'active', 'interrupted')`)
        .execute(),
    update: async (id: string, fields: Updateable<TranscriptImportsTable>): Promise<void> => {
      await db.updateTable('transcript_imports').set(fields).where('id', '=', id).execute()
    },
    /**
     * Moves an import to another state, which ends the lease of its worker.
     * @returns false, without a change, when it is in none of the states `from`.
     */
    move: async (
      id: string,
      from: readonly string[],
      fields: Updateable<TranscriptImportsTable> & { state: string },
    ): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('transcript_imports')
        .set({ ...fields, lease: sql`lease + 1` })
        .where('id', '=', id)
        .where('state', 'in', [...from])
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },
    /** Records that an import received files from another machine. */
    noteElsewhere: async (id: string): Promise<void> => {
      await db
        .updateTable('transcript_imports')
        .set({ elsewhere: 1 })
        .where('id', '=', id)
        .where('state', '=', 'staging')
        .where('elsewhere', '=', 0)
        .execute()
    },
    drop: async (ids: readonly string[]): Promise<void> => {
      await db
        .deleteFrom('transcript_imports')
        .where('id', 'in', [...ids])
        .execute()
    },
  }
}

const noRecords = { total: 0, imported: 0, duplicate: 0, rejected: 0, messages: 0 } as const
