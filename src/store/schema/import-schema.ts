/** An import of transcripts (imports.md). */
export interface TranscriptImportsTable {
  id: string
  agent_id: string
  adapter: string
  adapter_version: number
  name: string | null
  /** Project of all that it brings; null where each record says its own. */
  project: string | null
  /** A state of imports.md#states. */
  state: string
  /** Rises with every change of the state: a worker writes under the number that it began with. */
  lease: number
  /** Attempts since it last came forward. */
  attempts: number
  error: string | null
  source_id: string | null
  /** Records: what `imported`, `duplicate` and `rejected` leave of `total` is pending. */
  total: number
  imported: number
  duplicate: number
  rejected: number
  messages: number
  /** Batches that were committed. */
  batches: number
  created_by: string
  created_at: string
  updated_at: string
  started_at: string | null
  completed_at: string | null
  /** When what it brought was taken away again. */
  removed_at: string | null
  /** 1 once a caller on another machine uploaded to it. */
  elsewhere: number
}

export interface TranscriptImportFilesTable {
  job_id: string
  /** Chosen by the client. */
  file_id: string
  /** In the order in which files came. */
  number: number
  /** Bytes that were declared; null before the first and after a reset. */
  upload_size: number | null
  /** Bytes that are on the disk. */
  upload_offset: number
  upload_generation: number
  /** Checksum chain up to the offset. */
  upload_digest: string
  /** Bytes of the disk that were set aside for it, those of the offset among them; 0 when it needs no more. */
  reserved_bytes: number
  /** How far a finalize has read the file again, and the chain up to there. */
  verified_bytes: number
  verified_digest: string
  sealed_at: string | null
  /** 1 while bytes of earlier generations, or all of them, are still to be removed. */
  cleanup_pending: number
  /** How far records were counted. */
  counted_bytes: number
  /** Of the last record that was counted; lines that are blank have a number too. */
  counted_number: number
  counted_records: number
  /** 1 when all of them were. */
  counted_whole: number
  /** How far records were taken; what stands before is committed. */
  taken_bytes: number
  /** Of the last record that was taken. */
  taken_number: number
  imported: number
  duplicate: number
  rejected: number
  created_at: string
  updated_at: string
}

export interface TranscriptImportRejectionsTable {
  job_id: string
  /** In the order of the files and their records, from 1. */
  number: number
  file_id: string
  line: number
  reason: string
  message: string
}

/** A record that was imported; it stays when what was imported is removed. */
export interface TranscriptImportFingerprintsTable {
  agent_id: string
  /** Hash of the name of the conversation where it comes from. */
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

/** A conversation that is being written, or that the index has still to hear of. */
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
