import { AppError } from '../../../contract/ground/errors.js'
import type { ContentSafety, InspectedSafety } from '../../../contract/ground/fields.js'
import type { HistoryEvent, ListedMemory, MemoryRecord } from '../../../contract/memory/record.js'
import type { HistoryRow } from '../../../store/tables/memory/history.js'
import type { Holder } from '../../../store/tables/memory/holders.js'
import type { ListableMemory, MemoryRow } from '../../../store/tables/memory/memories.js'
import { codesIn, type VerdictColumns } from '../../safety/verdict-columns.js'
import { shownHolder } from './holders.js'
import { verbatimOf } from './layout.js'

/** Converts the safety verdict of a row for replies (rules.md 1.6 and 2.1). */
export function safetyOf(row: VerdictColumns): ContentSafety {
  return {
    status: row.safety_status as ContentSafety['status'],
    contextEligible: row.safety_status === 'clean',
    reasons: codesIn(row.safety_reasons) as ContentSafety['reasons'],
    policyVersion: row.safety_policy,
    scannedAt: row.safety_scanned_at,
  }
}

/** Adds the deciding rules, for replies about a single memory. */
function inspectedSafetyOf(row: VerdictColumns & Pick<MemoryRow, 'safety_rules'>): InspectedSafety {
  return { ...safetyOf(row), rules: codesIn(row.safety_rules) }
}

/** Returns a row's public fields, without internal columns and verdict columns. */
export function publicFields(row: MemoryRow) {
  const {
    content_hash: _hash,
    hash_space: _space,
    change: _change,
    further_holders: _furtherHolders,
    layout: _layout,
    commit_id: commit,
    safety_status: _status,
    safety_reasons: _reasons,
    safety_rules: _rules,
    safety_policy: _policy,
    safety_scanned_at: _scannedAt,
    ...fields
  } = row
  return { ...fields, commit }
}

/**
 * Converts a row for `GET /api/memory/:id` (rules.md 2.1). @param holders the holders visible to the reader.
 */
export function toRecord(row: MemoryRow, hints: readonly string[], holders: readonly Holder[]): MemoryRecord {
  const verbatim = verbatimOf(row)
  return {
    ...publicFields(row),
    ...(verbatim !== undefined && { verbatim }),
    ...shownHolder(row, holders).shownAs,
    holders: [...holders],
    structured: row.structured === null ? null : (JSON.parse(row.structured) as unknown),
    hints: [...hints],
    sourcePath: row.source_path,
    runtimePath: row.runtime_path,
    idempotencyKey: row.idempotency_key,
    contentSafety: inspectedSafetyOf(row),
  }
}

/** Converts a row for lists and searches (rules.md 4.2). */
export function toListedMemory(row: ListableMemory): ListedMemory {
  return {
    id: row.id,
    content: row.content,
    created_at: row.created_at,
    who: row.who,
    importance: row.importance,
    tags: row.tags,
    source_type: row.source_type,
    pinned: row.pinned,
    type: row.type,
    contentSafety: inspectedSafetyOf(row),
  }
}

/** The error for a row that is absent, forgotten or not visible to the reader (rules.md 4.4). */
export function noMemory(id: string): AppError {
  return new AppError('not_found', `memory ${id} not found`)
}

type EventRow<Content> = Omit<HistoryRow, 'change' | 'old_content' | 'new_content'> & {
  old_content: Content
  new_content: Content
}
type ShownEvent<Content> = Omit<HistoryEvent, 'oldContent' | 'newContent'> & {
  oldContent: Content
  newContent: Content
}

/** Converts a history event to camelCase (rules.md 2.2); omitted contents stay omitted. */
export function toHistoryEvent<Content extends string | null | undefined>(
  row: EventRow<Content>,
): ShownEvent<Content> {
  return {
    id: row.id,
    memoryId: row.memory_id,
    event: row.event as HistoryEvent['event'],
    oldContent: row.old_content,
    newContent: row.new_content,
    changedBy: row.changed_by,
    actorType: row.actor_type,
    reason: row.reason,
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as unknown),
    createdAt: row.created_at,
    sessionId: row.session_id,
    requestId: row.request_id,
  }
}
