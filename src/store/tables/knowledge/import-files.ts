import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type { TranscriptImportFilesTable } from '../../schema/import-schema.js'
import type { Schema } from '../../schema/schema.js'

export type ImportFileRow = Selectable<TranscriptImportFilesTable>
export type NewImportFile = Pick<
  Insertable<TranscriptImportFilesTable>,
  'job_id' | 'file_id' | 'upload_digest' | 'created_at' | 'updated_at'
>

/** Files of imports, with their upload and read progress (imports.md). */
export function importFilesTable(db: Kysely<Schema>) {
  const one = (jobId: string, fileId: string) =>
    db.selectFrom('transcript_import_files').where('job_id', '=', jobId).where('file_id', '=', fileId)
  return {
    find: (jobId: string, fileId: string): Promise<ImportFileRow | undefined> =>
      one(jobId, fileId).selectAll().executeTakeFirst(),
    /** Returns the files of a job, oldest first. */
    of: (jobId: string): Promise<ImportFileRow[]> =>
      db
        .selectFrom('transcript_import_files')
        .selectAll()
        .where('job_id', '=', jobId)
        .orderBy('number')
        .execute(),
    /** Returns the first file of a job with bytes on a disk. */
    firstBegun: (jobId: string): Promise<ImportFileRow | undefined> =>
      db
        .selectFrom('transcript_import_files')
        .selectAll()
        .where('job_id', '=', jobId)
        .where('upload_offset', '>', 0)
        .orderBy('number')
        .limit(1)
        .executeTakeFirst(),
    countOf: async (jobId: string): Promise<number> => {
      const { count } = await db
        .selectFrom('transcript_import_files')
        .select(sql<number>`count(*)`.as('count'))
        .where('job_id', '=', jobId)
        .executeTakeFirstOrThrow()
      return count
    },
    /** Appends a file; an existing one is unchanged. */
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
     * Records upload progress.
     * @returns false, without a change, when another generation has begun.
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
    /** Discards unsealed uploads of a job. @param chain digest chain of an empty file. */
    giveUp: async (jobId: string, chain: string, now: string): Promise<void> => {
      await db
        .updateTable('transcript_import_files')
        .set({ ...nothingUploaded(chain), upload_generation: sql`upload_generation + 1`, updated_at: now })
        .where('job_id', '=', jobId)
        .where('sealed_at', 'is', null)
        .where('upload_size', 'is not', null)
        .execute()
    },
    /** Discards an upload and begins its next generation. @param chain digest chain of an empty file. */
    reset: async ({ job_id, file_id }: ImportFileRow, chain: string, now: string): Promise<void> => {
      await db
        .updateTable('transcript_import_files')
        .set({ ...nothingUploaded(chain), upload_generation: sql`upload_generation + 1`, updated_at: now })
        .where('job_id', '=', job_id)
        .where('file_id', '=', file_id)
        .execute()
    },
    /** Returns the bytes reserved for uploads and not yet used. */
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
    /** Returns the reserved bytes and declared length of a job's files. */
    heldBy: (jobId: string): Promise<{ size: number; reserved: number }> =>
      db
        .selectFrom('transcript_import_files')
        .select([
          sql<number>`COALESCE(SUM(upload_size), 0)`.as('size'),
          sql<number>`COALESCE(SUM(reserved_bytes), 0)`.as('reserved'),
        ])
        .where('job_id', '=', jobId)
        .executeTakeFirstOrThrow(),
    /** Releases the bytes reserved for a job's files. */
    release: async (jobId: string): Promise<void> => {
      await db
        .updateTable('transcript_import_files')
        .set({ reserved_bytes: 0 })
        .where('job_id', '=', jobId)
        .execute()
    },
    /** Returns files whose bytes are still to be deleted. */
    toCleanUp: (limit: number): Promise<ImportFileRow[]> =>
      db
        .selectFrom('transcript_import_files')
        .selectAll()
        // Matches the condition of the index.
        .where(sql<boolean>`cleanup_pending = 1`)
        .limit(limit)
        .execute(),
  }
}

/** The fields of an empty upload; bytes on disk are still to be deleted. */
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

/** The fields of a new file. */
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
  folder: null,
} as const
