import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type { TranscriptImportFilesTable } from '../../schema/import-schema.js'
import type { Schema } from '../../schema/schema.js'

export type ImportFileRow = Selectable<TranscriptImportFilesTable>
export type NewImportFile = Pick<
  Insertable<TranscriptImportFilesTable>,
  'job_id' | 'file_id' | 'upload_digest' | 'created_at' | 'updated_at'
>

/** Files of imports: how much of each is on the disk, and how far it was read (imports.md). */
export function importFilesTable(db: Kysely<Schema>) {
  const one = (jobId: string, fileId: string) =>
    db.selectFrom('transcript_import_files').where('job_id', '=', jobId).where('file_id', '=', fileId)
  return {
    find: (jobId: string, fileId: string): Promise<ImportFileRow | undefined> =>
      one(jobId, fileId).selectAll().executeTakeFirst(),
    /** Files of a job in the order in which they came. */
    of: (jobId: string): Promise<ImportFileRow[]> =>
      db
        .selectFrom('transcript_import_files')
        .selectAll()
        .where('job_id', '=', jobId)
        .orderBy('number')
        .execute(),
    countOf: async (jobId: string): Promise<number> => {
      const { count } = await db
        .selectFrom('transcript_import_files')
        .select(sql<number>`count(*)`.as('count'))
        .where('job_id', '=', jobId)
        .executeTakeFirstOrThrow()
      return count
    },
    /** Adds a file behind those that are there; one that is there stays as it is. */
    add: async (file: NewImportFile): Promise<void> => {
      const number = sql<number>`(SELECT COALESCE(MAX(number), 0) + 1 FROM transcript_import_files
        WHERE job_id = ${file.job_id})`
      await db
        .insertInto('transcript_import_files')
        .values({ ...initial, ...file, number })
        .onConflict(conflict => conflict.columns(['job_id', 'file_id']).doNothing())
        .execute()
    },
    update: async (
      { job_id, file_id }: Pick<ImportFileRow, 'job_id' | 'file_id'>,
      fields: Updateable<TranscriptImportFilesTable>,
    ): Promise<void> => {
      await db
        .updateTable('transcript_import_files')
        .set(fields)
        .where('job_id', '=', job_id)
        .where('file_id', '=', file_id)
        .execute()
    },
    /**
     * Notes how far an upload has come.
     * @returns false when another generation has begun meanwhile: nothing was changed.
     */
    advance: async (
      { job_id, file_id, upload_generation }: ImportFileRow,
      fields: Pick<ImportFileRow, 'upload_offset' | 'upload_digest' | 'updated_at'>,
    ): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('transcript_import_files')
        .set(fields)
        .where('job_id', '=', job_id)
        .where('file_id', '=', file_id)
        .where('upload_generation', '=', upload_generation)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },
    /** Discards the uploads of a job that are not sealed. @param chain of a file without bytes. */
    giveUp: async (jobId: string, chain: string, now: string): Promise<void> => {
      await db
        .updateTable('transcript_import_files')
        .set({ ...nothingUploaded(chain), upload_generation: sql`upload_generation + 1`, updated_at: now })
        .where('job_id', '=', jobId)
        .where('sealed_at', 'is', null)
        .where('upload_size', 'is not', null)
        .execute()
    },
    /** Discards an upload and begins its next generation. @param chain of a file without bytes. */
    reset: async ({ job_id, file_id }: ImportFileRow, chain: string, now: string): Promise<void> => {
      await db
        .updateTable('transcript_import_files')
        .set({ ...nothingUploaded(chain), upload_generation: sql`upload_generation + 1`, updated_at: now })
        .where('job_id', '=', job_id)
        .where('file_id', '=', file_id)
        .execute()
    },
    /** Bytes that are set aside for uploads and not yet used. */
    reserved: async (): Promise<number> => {
      const { bytes } = await db
        .selectFrom('transcript_import_files')
        .select(
          sql<number>`COALESCE(SUM(CASE WHEN reserved_bytes > upload_offset THEN reserved_bytes - upload_offset ELSE 0 END), 0)`.as(
            'bytes',
          ),
        )
        .where(sql<boolean>`reserved_bytes > 0`)
        .executeTakeFirstOrThrow()
      return bytes
    },
    /** What is set aside for the files of a job, and their declared length. */
    heldBy: (jobId: string): Promise<{ size: number; reserved: number }> =>
      db
        .selectFrom('transcript_import_files')
        .select([
          sql<number>`COALESCE(SUM(upload_size), 0)`.as('size'),
          sql<number>`COALESCE(SUM(reserved_bytes), 0)`.as('reserved'),
        ])
        .where('job_id', '=', jobId)
        .executeTakeFirstOrThrow(),
    /** Gives back what was set aside for the files of a job. */
    release: async (jobId: string): Promise<void> => {
      await db
        .updateTable('transcript_import_files')
        .set({ reserved_bytes: 0 })
        .where('job_id', '=', jobId)
        .execute()
    },
    /** Files of which bytes are still to be removed. */
    toCleanUp: (limit: number): Promise<ImportFileRow[]> =>
      db
        .selectFrom('transcript_import_files')
        .selectAll()
        // As in the condition of the index.
        .where(sql<boolean>`cleanup_pending = 1`)
        .limit(limit)
        .execute(),
  }
}

/** A file as if nothing had been uploaded of it, but for the bytes that are still to be removed. */
function nothingUploaded(chain: string) {
  return {
    upload_size: null,
    upload_offset: 0,
    upload_digest: chain,
    verified_bytes: 0,
    verified_digest: '',
    reserved_bytes: 0,
    cleanup_pending: 1,
  }
}

/** A file of which nothing is known but its name. */
const initial = {
  upload_size: null,
  upload_offset: 0,
  upload_generation: 0,
  reserved_bytes: 0,
  verified_bytes: 0,
  verified_digest: '',
  sealed_at: null,
  cleanup_pending: 0,
  counted_bytes: 0,
  counted_number: 0,
  counted_records: 0,
  counted_whole: 0,
  taken_bytes: 0,
  taken_number: 0,
  imported: 0,
  duplicate: 0,
  rejected: 0,
} as const
