import type { Insertable, Selectable } from 'kysely'
import type { MemoriesTable } from '../../schema/schema.js'

type MemoryRow = Selectable<MemoriesTable>
type NewMemory = Insertable<MemoriesTable>

/** Columns that a new row may leave out, as the database fills them. */
type Unsaid = Omit<
  MemoryRow,
  keyof { [Column in keyof NewMemory as undefined extends NewMemory[Column] ? never : Column]: true }
>

const unsaid: Unsaid = {
  who: null,
  source_id: null,
  source_type: null,
  source_path: null,
  runtime_path: null,
  idempotency_key: null,
  project: null,
  scope: null,
  session_id: null,
  confidence: null,
  access_count: 0,
  last_accessed: null,
  is_deleted: 0,
  deleted_at: null,
  embedding_model: null,
  version: 1,
  superseded_by: null,
  superseded_at: null,
  superseded_reason: null,
  occurred_at: null,
  observed_at: null,
  source_created_at: null,
  valid_from: null,
  valid_until: null,
  review_after: null,
  structured: null,
  further_holders: 0,
}

/** A new row as the database stores it. */
export function storedRow(row: NewMemory): MemoryRow {
  return { ...unsaid, ...row } as MemoryRow
}
