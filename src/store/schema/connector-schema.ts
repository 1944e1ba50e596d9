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

export interface ConnectorResultsTable {
  connector_id: string
  result_json: string
}

export interface ConnectorSchema {
  connectors: ConnectorsTable
  connector_files: ConnectorFilesTable
  connector_results: ConnectorResultsTable
}
