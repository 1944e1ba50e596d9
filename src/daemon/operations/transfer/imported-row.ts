import type { TransferredMemory } from '../../../contract/operations/transfer.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import type { Tables } from '../../../store/tables/tables.js'
import { contentHash, storageContent } from '../../memory/records/normalise-content.js'

/** Additional holders of a memory, as a file names them. */
export type NamedHolders = TransferredMemory['holders']

type UniqueColumn = 'content_hash' | 'hash_space' | 'idempotency_key' | 'agent_id' | 'visibility' | 'scope'
export type ClaimingRow = Pick<MemoryRow, UniqueColumn | 'is_deleted'>

/** Hash space of memories shared with every agent. */
export const sharedSpace = ''

/**
 * Converts a memory of a file into a row. Still missing: the safety verdict, the shared hash space and the
 * change number. Each column is copied explicitly, because a spread costs several times as much.
 */
export function importedRow(memory: TransferredMemory): MemoryRow {
  const { id, agent_id, visibility, superseded_by } = memory
  const isApart = visibility === 'archived' || (superseded_by ?? null) !== null
  return {
    id,
    content: memory.content,
    content_hash: contentHash(storageContent(memory.content)),
    // An archived row takes part in no deduplication, like rows archived by removing an agent. A replaced row
    // does not either, because its successor may have the same text and another type.
    hash_space: isApart ? ` ${id}` : agent_id,
    type: memory.type,
    importance: memory.importance,
    tags: memory.tags.join(','),
    pinned: memory.pinned,
    who: memory.who ?? null,
    source_id: memory.source_id ?? null,
    source_type: memory.source_type ?? null,
    source_path: memory.source_path ?? null,
    runtime_path: memory.runtime_path ?? null,
    idempotency_key: memory.idempotency_key ?? null,
    project: memory.project ?? null,
    scope: memory.scope ?? null,
    session_id: memory.session_id ?? null,
    confidence: memory.confidence ?? null,
    access_count: memory.access_count,
    last_accessed: memory.last_accessed ?? null,
    is_deleted: memory.is_deleted,
    deleted_at: memory.deleted_at ?? null,
    extraction_status: memory.extraction_status,
    embedding_model: null,
    version: memory.version,
    created_at: memory.created_at,
    updated_at: memory.updated_at ?? memory.created_at,
    updated_by: memory.updated_by,
    memory_kind: memory.memory_kind,
    agent_id,
    visibility,
    superseded_by: memory.superseded_by ?? null,
    superseded_at: memory.superseded_at ?? null,
    superseded_reason: memory.superseded_reason ?? null,
    occurred_at: memory.occurred_at ?? null,
    observed_at: memory.observed_at ?? null,
    source_created_at: memory.source_created_at ?? null,
    valid_from: memory.valid_from ?? null,
    valid_until: memory.valid_until ?? null,
    review_after: memory.review_after ?? null,
    structured: memory.structured ? JSON.stringify(memory.structured) : null,
    safety_status: '',
    safety_reasons: '',
    safety_rules: '',
    safety_policy: '',
    safety_scanned_at: '',
    change: 0,
    further_holders: 0,
    branch: memory.branch ?? null,
    commit_id: memory.commit_id ?? null,
    layout: memory.layout ?? null,
    expires_at: memory.expires_at ?? null,
  }
}

/** The unique keys of a row; a forgotten memory has none. */
export function claimsOf(row: ClaimingRow): string[] {
  return row.is_deleted === 1 ? [] : uniqueKeys(row)
}

/** The same while it is unknown whether the agent shares its hashes. */
export function possibleClaims(row: ClaimingRow): string[] {
  if (row.is_deleted === 1) return []
  return row.visibility === 'global' ? [...uniqueKeys(row), ...uniqueKeys(row, sharedSpace)] : uniqueKeys(row)
}

/** Keys that only one alive memory may have, as in the database's unique indexes. */
function uniqueKeys(row: Pick<MemoryRow, UniqueColumn>, space = row.hash_space): string[] {
  const { content_hash, idempotency_key, agent_id, visibility, scope } = row
  const hash = JSON.stringify([content_hash, space])
  return idempotency_key
    ? [hash, JSON.stringify([idempotency_key, agent_id, visibility, scope ?? ''])]
    : [hash]
}

/** Maps each key that these rows would need to the id of the stored memory that has it. */
export async function storedClaimants(
  { claimants }: Pick<Tables['transfer'], 'claimants'>,
  rows: readonly ClaimingRow[],
): Promise<Map<string, string>> {
  if (rows.length === 0) return new Map()
  const found = await claimants(
    rows.map(row => row.content_hash),
    rows.flatMap(row => row.idempotency_key ?? []),
  )
  return new Map(found.flatMap(claimant => uniqueKeys(claimant).map(key => [key, claimant.id] as const)))
}
