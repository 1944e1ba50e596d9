import type { Generated } from 'kysely'

/** One memory as the devices know it, with the keys by which others of the same text are found. */
export interface SyncMemoriesTable {
  id: string
  /** Hash of its present text; empty while the text is unknown. */
  hash: string
  /** Keyed hashes of its present text and of its first one. */
  text_key: string
  first_key: string
  replaced_by: string | null
  /** JSON of all that devices told. */
  known: string
}

/** The last moments at which a text was forgotten, recovered or purged. */
export interface SyncTextsTable {
  key: string
  forgotten: string | null
  recovered: string | null
  purged: string | null
}

export interface SyncSegmentsTable {
  /** SHA-256 of the whole file. */
  hash: string
  device: string
  number: number
  /** Those of an own segment that the store does not have yet. */
  bytes: Uint8Array | null
}

/** Tables of sync; all are empty while it is off. */
export interface SyncSchema {
  sync_state: { key: string; value: string }
  sync_memories: SyncMemoriesTable
  sync_texts: SyncTextsTable
  /** An empty clock: the purge was not told yet. */
  sync_purged: { id: string; clock: string }
  sync_agents: { name: string; clock: string; policy: string | null }
  sync_outbox: { number: Generated<number>; record: string }
  sync_segments: SyncSegmentsTable
}
