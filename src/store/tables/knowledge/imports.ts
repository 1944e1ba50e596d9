import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type {
  TranscriptImportFingerprintsTable,
  TranscriptImportRejectionsTable,
  TranscriptImportsTable,
} from '../../schema/import-schema.js'
import type { Schema } from '../../schema/schema.js'
import { listOf } from '../../sql/dialect.js'

export type ImportRow = Selectable<TranscriptImportsTable>
export type NewImport = Pick<
  Insertable<TranscriptImportsTable>,
  'id' | 'agent_id' | 'adapter' | 'adapter_version' | 'name' | 'project' | 'created_by' | 'created_at'
>

export type RejectionRow = Selectable<TranscriptImportRejectionsTable>
export type FingerprintRow = Selectable<TranscriptImportFingerprintsTable>

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

/** Results of imported records, and the transcript bodies that are not indexed yet. */
export function importRecordsTable(db: Kysely<Schema>) {
  return { ...records(db), ...bodies(db) }
}

function records(db: Kysely<Schema>) {
  return {
    addRejections: async (rows: readonly RejectionRow[]): Promise<void> => {
      if (rows.length > 0)
        await db
          .insertInto('transcript_import_rejections')
          .values([...rows])
          .execute()
    },
    /** Returns rejections of a job after a number. */
    rejections: (jobId: string, after: number, limit: number): Promise<RejectionRow[]> =>
      db
        .selectFrom('transcript_import_rejections')
        .selectAll()
        .where('job_id', '=', jobId)
        .where('number', '>', after)
        .orderBy('number')
        .limit(limit)
        .execute(),
    /** Returns the fingerprints of an agent's transcripts by their identities. */
    fingerprints: async (agentId: string, identities: readonly string[]): Promise<FingerprintRow[]> =>
      identities.length === 0
        ? []
        : db
            .selectFrom('transcript_import_fingerprints')
            .selectAll()
            .where('agent_id', '=', agentId)
            .where('identity', 'in', sql<string>`${listOf(identities)}`)
            .execute(),
    /** Saves fingerprints of imported transcripts, replacing those of removed ones. */
    putFingerprints: async (rows: readonly Omit<FingerprintRow, 'removed_at'>[]): Promise<void> => {
      if (rows.length === 0) return
      await db
        .insertInto('transcript_import_fingerprints')
        .values(rows.map(row => ({ ...row, removed_at: null })))
        .onConflict(conflict =>
          conflict.columns(['agent_id', 'identity']).doUpdateSet(eb => ({
            content_hash: eb.ref('excluded.content_hash'),
            job_id: eb.ref('excluded.job_id'),
            file_id: eb.ref('excluded.file_id'),
            line: eb.ref('excluded.line'),
            session_key: eb.ref('excluded.session_key'),
            messages: eb.ref('excluded.messages'),
            imported_at: eb.ref('excluded.imported_at'),
            removed_at: null,
          })),
        )
        .execute()
    },
    /** Returns fingerprints of transcripts imported by a job that still exist, after an identity. */
    importedBy: (jobId: string, limit: number, after = ''): Promise<FingerprintRow[]> =>
      db
        .selectFrom('transcript_import_fingerprints')
        .selectAll()
        .where('job_id', '=', jobId)
        .where('removed_at', 'is', null)
        .where('identity', '>', after)
        .orderBy('identity')
        .limit(limit)
        .execute(),
    /** Marks a transcript as removed; only its hashes stay. */
    markRemoved: async (agentId: string, identity: string, removedAt: string): Promise<void> => {
      await db
        .updateTable('transcript_import_fingerprints')
        .set({ removed_at: removedAt, session_key: '' })
        .where('agent_id', '=', agentId)
        .where('identity', '=', identity)
        .execute()
    },
    /** Deletes up to `limit` fingerprints of an agent. @returns the number deleted. */
    dropFingerprints: async (agentId: string, limit: number): Promise<number> => {
      const { numAffectedRows = 0n } = await sql`DELETE FROM transcript_import_fingerprints
        WHERE agent_id = ${agentId} AND identity IN (
          SELECT identity FROM transcript_import_fingerprints WHERE agent_id = ${agentId} LIMIT ${limit})`.execute(
        db,
      )
      return Number(numAffectedRows)
    },
  }
}

function bodies(db: Kysely<Schema>) {
  return {
    noteBodies: async (jobId: string, bodyIds: readonly string[]): Promise<void> => {
      if (bodyIds.length === 0) return
      await db
        .insertInto('transcript_import_bodies')
        .values(bodyIds.map(body_id => ({ body_id, job_id: jobId })))
        .execute()
    },
    bodiesOf: async (jobId: string): Promise<string[]> => {
      const rows = await db
        .selectFrom('transcript_import_bodies')
        .select('body_id')
        .where('job_id', '=', jobId)
        .execute()
      return rows.map(({ body_id }) => body_id)
    },
    dropBodies: async (bodyIds: readonly string[]): Promise<void> => {
      if (bodyIds.length > 0)
        await sql`DELETE FROM transcript_import_bodies WHERE body_id IN ${listOf(bodyIds)}`.execute(db)
    },
  }
}
