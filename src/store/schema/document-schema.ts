import type { Generated } from 'kysely'

/** One text that was handed over to be read: its own words, an address or a file. */
export interface DocumentsTable {
  id: string
  agent_id: string
  project: string | null
  title: string | null
  source_type: string
  /** The URL of a url document, the absolute path of a file. */
  source_url: string | null
  content_type: string | null
  connector_id: string | null
  /** JSON object, as it was given. */
  metadata: string | null
  status: string
  error: string | null
  chunk_count: Generated<number>
  /** SHA-256 of the text that its chunks were made of. */
  content_hash: string | null
  /** JSON: milliseconds that the last processing spent, by step. */
  timings: Generated<string>
  /** Of the chunks in force; those of another one are being made, or left. */
  generation: Generated<number>
  /** How often it was handed over: once more while it is read means that it is read again. */
  requests: Generated<number>
  /** Who handed it over: the history of its chunks names them. */
  created_by: string
  /** The user that its writer is confined to: the author of its chunks. */
  who: string | null
  created_at: string
  updated_at: string
  completed_at: string | null
}

/** A part of the text of a document whose words are nowhere else, until its chunks stand. */
export interface DocumentTextsTable {
  document_id: string
  /** From 0 on, without gaps. */
  part: number
  text: string
}

/** Which memory a chunk of a document is. */
export interface DocumentChunksTable {
  document_id: string
  generation: number
  /** From 0 on, without gaps. */
  chunk_index: number
  memory_id: string
  /** The headings that it stands under, outermost first, joined by ` > `. */
  heading: string | null
  /** Page, slide or sheet. */
  page: string | null
}

export interface DocumentSchema {
  documents: DocumentsTable
  document_texts: DocumentTextsTable
  document_chunks: DocumentChunksTable
}

/** A place that documents are synchronised from (connectors.md). */
export interface ConnectorsTable {
  id: string
  provider: string
  display_name: string
  /** `idle`, `syncing` or `error`. */
  status: string
  /** JSON object, as it was given. */
  config_json: string
  cursor_json: string
  last_sync_at: string | null
  last_error: string | null
  created_at: string
  updated_at: string
}

/** A file as it was when a connector took it in: one that is the same still is not read again. */
export interface ConnectorFilesTable {
  connector_id: string
  /** Below the root, with `/` between its parts. */
  path: string
  size: number
  mtime_ms: number
  inode: string
  /** When it was looked at, in milliseconds since the epoch. */
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
