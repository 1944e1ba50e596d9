import type { Generated } from 'kysely'

/** A document to index: a text, a URL or a file. */
export interface DocumentsTable {
  id: string
  agent_id: string
  project: string | null
  title: string | null
  source_type: string
  /** The URL of a url document, or the absolute path of a file. */
  source_url: string | null
  content_type: string | null
  connector_id: string | null
  /** JSON object, as received. */
  metadata: string | null
  status: string
  error: string | null
  chunk_count: Generated<number>
  /** SHA-256 of the text that was split into chunks. */
  content_hash: string | null
  /** JSON: milliseconds of the last processing, by step. */
  timings: Generated<string>
  /** Generation of the current chunks; those of others are being created or are left over. */
  generation: Generated<number>
  /** Number of requests; a further one during processing means processing again. */
  requests: Generated<number>
  /** The actor that added it, recorded in the history of its chunks. */
  created_by: string
  /** The user that the credential is confined to, who becomes the author of its chunks. */
  who: string | null
  created_at: string
  updated_at: string
  completed_at: string | null
  /** The charset of a text that says none. */
  guessed_charset: string | null
}

/** A part of a document's text that has no other copy, stored until its chunks exist. */
export interface DocumentTextsTable {
  document_id: string
  /** From 0, without gaps. */
  part: number
  text: string
}

/** Links a chunk of a document to its memory. */
export interface DocumentChunksTable {
  document_id: string
  generation: number
  /** From 0, without gaps. */
  chunk_index: number
  memory_id: string
  /** Its headings, outermost first, joined by ` > `. */
  heading: string | null
  /** Page, slide or sheet. */
  page: string | null
}

export interface DocumentSchema {
  documents: DocumentsTable
  document_texts: DocumentTextsTable
  document_chunks: DocumentChunksTable
}

/** An external location from which documents are synchronized (connectors.md). */
export interface ConnectorsTable {
  id: string
  provider: string
  display_name: string
  /** `idle`, `syncing` or `error`. */
  status: string
  /** JSON object, as received. */
  config_json: string
  cursor_json: string
  last_sync_at: string | null
  last_error: string | null
  created_at: string
  updated_at: string
}

/** The state of a file when a connector imported it; an unchanged file is not read again. */
export interface ConnectorFilesTable {
  connector_id: string
  /** Relative to the root, with `/` as separator. */
  path: string
  size: number
  mtime_ms: number
  inode: string
  /** Time of the check, in milliseconds since the epoch. */
  taken_ms: number
  document_id: string
}

interface ConnectorResultsTable {
  connector_id: string
  result_json: string
}

export interface ConnectorSchema {
  connectors: ConnectorsTable
  connector_files: ConnectorFilesTable
  connector_results: ConnectorResultsTable
}
