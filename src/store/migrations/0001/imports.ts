/** Imports of transcripts: jobs, files, rejected records, and a fingerprint of each imported record. */
export const imports = `
-- elsewhere is 1 where the files come from another machine, whose folders mean nothing on this one.
CREATE TABLE transcript_imports (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  adapter TEXT NOT NULL,
  adapter_version INTEGER NOT NULL,
  name TEXT,
  state TEXT NOT NULL,
  lease INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  source_id TEXT,
  total INTEGER NOT NULL DEFAULT 0,
  imported INTEGER NOT NULL DEFAULT 0,
  duplicate INTEGER NOT NULL DEFAULT 0,
  rejected INTEGER NOT NULL DEFAULT 0,
  messages INTEGER NOT NULL DEFAULT 0,
  batches INTEGER NOT NULL DEFAULT 0,
  created_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  started_at TEXT,
  completed_at TEXT,
  removed_at TEXT,
  project TEXT,
  elsewhere INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX transcript_imports_agent ON transcript_imports (agent_id, created_at, id);
CREATE INDEX transcript_imports_open ON transcript_imports (state) WHERE state IN ('queued', 'active', 'interrupted');
CREATE INDEX transcript_imports_source ON transcript_imports (source_id) WHERE source_id IS NOT NULL;

CREATE TABLE transcript_import_files (
  job_id TEXT NOT NULL REFERENCES transcript_imports (id) ON DELETE CASCADE,
  file_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  upload_size INTEGER,
  upload_offset INTEGER NOT NULL DEFAULT 0,
  upload_generation INTEGER NOT NULL DEFAULT 0,
  upload_digest TEXT NOT NULL,
  reserved_bytes INTEGER NOT NULL DEFAULT 0,
  verified_bytes INTEGER NOT NULL DEFAULT 0,
  verified_digest TEXT NOT NULL DEFAULT '',
  sealed_at TEXT,
  cleanup_pending INTEGER NOT NULL DEFAULT 0,
  counted_bytes INTEGER NOT NULL DEFAULT 0,
  counted_number INTEGER NOT NULL DEFAULT 0,
  counted_records INTEGER NOT NULL DEFAULT 0,
  counted_whole INTEGER NOT NULL DEFAULT 0,
  taken_bytes INTEGER NOT NULL DEFAULT 0,
  taken_number INTEGER NOT NULL DEFAULT 0,
  imported INTEGER NOT NULL DEFAULT 0,
  duplicate INTEGER NOT NULL DEFAULT 0,
  rejected INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (job_id, file_id)
);
CREATE UNIQUE INDEX transcript_import_files_number ON transcript_import_files (job_id, number);
CREATE INDEX transcript_import_files_reserved ON transcript_import_files (reserved_bytes, upload_offset)
  WHERE reserved_bytes > 0;
CREATE INDEX transcript_import_files_cleanup ON transcript_import_files (job_id) WHERE cleanup_pending = 1;

CREATE TABLE transcript_import_rejections (
  job_id TEXT NOT NULL REFERENCES transcript_imports (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  file_id TEXT NOT NULL,
  line INTEGER NOT NULL,
  reason TEXT NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (job_id, number)
) WITHOUT ROWID;

CREATE TABLE transcript_import_fingerprints (
  agent_id TEXT NOT NULL,
  identity TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  job_id TEXT NOT NULL,
  file_id TEXT NOT NULL,
  line INTEGER NOT NULL,
  session_key TEXT NOT NULL,
  messages INTEGER NOT NULL,
  imported_at TEXT NOT NULL,
  removed_at TEXT,
  PRIMARY KEY (agent_id, identity)
) WITHOUT ROWID;
CREATE INDEX transcript_import_fingerprints_job ON transcript_import_fingerprints (job_id, identity)
  WHERE removed_at IS NULL;

-- Conversations that are stored but not indexed yet. The next start finishes or drops them.
CREATE TABLE transcript_import_bodies (
  body_id TEXT PRIMARY KEY,
  job_id TEXT NOT NULL
);
CREATE INDEX transcript_import_bodies_job ON transcript_import_bodies (job_id);
`
