/** An import of transcripts (imports.md). */
export interface TranscriptImportsTable {
  id: string
  agent_id: string
  adapter: string
  adapter_version: number
  name: string | null
  /** Project of all its transcripts; null when each record has its own. */
  project: string | null
  /** A state of imports.md#states. */
  state: string
  /** Incremented with each state change; a worker writes only under the number it started with. */
  lease: number
  /** Attempts since the last progress. */
  attempts: number
  error: string | null
  source_id: string | null
  /** Record counts; `total` minus `imported`, `duplicate` and `rejected` is pending. */
  total: number
  imported: number
  duplicate: number
  rejected: number
  messages: number
  /** Committed batches. */
  batches: number
  created_by: string
  created_at: string
  updated_at: string
  started_at: string | null
  completed_at: string | null
  /** When its transcripts were removed again. */
  removed_at: string | null
  /** 1 once a caller on another machine uploaded to it. */
  elsewhere: number
  /** JSON: what was left out of the imported conversations, by kind. */
  left_out: string
}

export interface TranscriptImportFilesTable {
  job_id: string
  /** Chosen by the client. */
  file_id: string
  /** Order of arrival. */
  number: number
  /** Declared bytes; null before the upload and after a reset. */
  upload_size: number | null
  /** Bytes on disk. */
  upload_offset: number
  upload_generation: number
  /** Checksum chain up to the offset. */
  upload_digest: string
  /** Disk bytes reserved for it, including those already written; 0 when no more are needed. */
  reserved_bytes: number
  /** Offset up to which finalize has verified the file, and the chain up to there. */
  verified_bytes: number
  verified_digest: string
  sealed_at: string | null
  /** 1 while bytes of earlier generations, or of the whole file, are still to be deleted. */
  cleanup_pending: number
  /** Offset up to which records were counted. */
  counted_bytes: number
  /** Number of the last counted record; blank lines are numbered too. */
  counted_number: number
  counted_records: number
  /** 1 when all records were counted. */
  counted_whole: number
  /** Offset up to which records were imported and committed. */
  taken_bytes: number
  /** Number of the last imported record. */
  taken_number: number
  imported: number
  duplicate: number
  rejected: number
  created_at: string
  updated_at: string
  /** Working folder of its conversation, if the client named it. */
  folder: string | null
}

export interface TranscriptImportRejectionsTable {
  job_id: string
  /** Order of the files and their records, from 1. */
  number: number
  file_id: string
  line: number
  reason: string
  message: string
}

/** An imported record; the row stays when its transcript is removed. */
export interface TranscriptImportFingerprintsTable {
  agent_id: string
  /** Hash of the transcript's name in its origin. */
  identity: string
  content_hash: string
  job_id: string
  file_id: string
  line: number
  session_key: string
  messages: number
  imported_at: string
  removed_at: string | null
}

/** A transcript that is being written, or that is not indexed yet. */
export interface TranscriptImportBodiesTable {
  body_id: string
  job_id: string
}

export interface ImportSchema {
  transcript_imports: TranscriptImportsTable
  transcript_import_files: TranscriptImportFilesTable
  transcript_import_rejections: TranscriptImportRejectionsTable
  transcript_import_fingerprints: TranscriptImportFingerprintsTable
  transcript_import_bodies: TranscriptImportBodiesTable
}
