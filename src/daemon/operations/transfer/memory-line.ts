import type { WrittenLine } from '../../../contract/operations/transfer.js'
import type { Holder } from '../../../store/tables/memory/holders.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import { firstTold } from '../../memory/records/holders.js'

/**
 * A memory as it stands in a file: all that its row tells but what can be made again. Written column by column: leaving
 * columns out of a copy costs more than all else of a line.
 * @param told the holders that the reader may know of, the one it is shown as first
 */
export function memoryLine(row: MemoryRow, hints: string[], told: readonly Holder[]): WrittenLine {
  const { shownAs, others } = firstTold(row, told)
  const line = {
    kind: 'memory' as const,
    id: row.id,
    content: row.content,
    type: row.type,
    importance: row.importance,
    tags: row.tags,
    pinned: row.pinned,
    who: row.who,
    source_id: row.source_id,
    source_type: row.source_type,
    source_path: row.source_path,
    runtime_path: row.runtime_path,
    idempotency_key: row.idempotency_key,
    project: shownAs.project,
    scope: shownAs.scope,
    session_id: row.session_id,
    confidence: row.confidence,
    access_count: row.access_count,
    last_accessed: row.last_accessed,
    is_deleted: row.is_deleted,
    deleted_at: row.deleted_at,
    extraction_status: row.extraction_status,
    version: row.version,
    created_at: row.created_at,
    updated_at: row.updated_at,
    updated_by: row.updated_by,
    memory_kind: row.memory_kind,
    agent_id: shownAs.agent_id,
    visibility: shownAs.visibility,
    superseded_by: row.superseded_by,
    superseded_at: row.superseded_at,
    superseded_reason: row.superseded_reason,
    occurred_at: row.occurred_at,
    observed_at: row.observed_at,
    source_created_at: row.source_created_at,
    valid_from: row.valid_from,
    valid_until: row.valid_until,
    review_after: row.review_after,
    structured: row.structured === null ? null : (JSON.parse(row.structured) as object),
    hints,
  }
  return (others.length > 0 ? { ...line, holders: others } : line) as WrittenLine
}
