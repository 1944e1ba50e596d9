import type { VersionStatus } from '../../../../contract/knowledge/ontology-explain.js'
import type { ClaimVersionRow } from '../../../../store/tables/knowledge/claims.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { Reader } from '../evidence/source.js'
import { type CheckedSpan, checkSpans, isRead, stands, toToldSpan } from './check-spans.js'
import { type Integrity, integrityOf } from './integrity.js'

/** Spans that one look checks: nobody reads more, and each may be another source. */
const maxSpans = 500

/** A version with what its sources say today. */
export interface Looked {
  row: ClaimVersionRow
  spans: readonly CheckedSpan[]
  integrity: Integrity
  /** The reader may read something that says it, or might, had it not been forgotten. */
  isForReader: boolean
  /** The reader may be told the value. */
  isTold: boolean
}

/** Looks at the evidence of versions. @param now ISO 8601 */
export async function lookAtVersions(
  tables: Tables,
  reader: Reader,
  rows: readonly ClaimVersionRow[],
): Promise<Looked[]> {
  if (rows.length === 0) return []
  const found = await tables.evidenceSpans.ofSubjects(
    rows.map(({ id }) => id),
    maxSpans + 1,
  )
  const isWhole = found.length <= maxSpans
  const checked = await checkSpans(tables, reader, found.slice(0, maxSpans))
  return rows.map(row => {
    const spans = checked.filter(({ subject_id }) => subject_id === row.id)
    return {
      row,
      spans,
      integrity: integrityOf(row.id, spans, { isWhole }),
      isForReader: spans.some(({ state }) => state !== 'hidden'),
      isTold: spans.some(isRead),
    }
  })
}

/** What a version is today: one that no source says any more is unsupported, one whose time is over was superseded. */
export function statusOf({ row, spans }: Looked, now: string): VersionStatus {
  if (row.status !== 'current') return row.status as VersionStatus
  if (!spans.some(stands)) return 'unsupported'
  return row.valid_until !== null && row.valid_until <= now ? 'superseded' : 'current'
}

/** A version as the reader is told of it. */
export function toVersion(looked: Looked, now: string) {
  const { row, isTold } = looked
  return {
    id: row.id,
    value: isTold ? row.value : null,
    status: statusOf(looked, now),
    confidence: row.confidence,
    validFrom: row.valid_from,
    validUntil: row.valid_until,
    recordedAt: row.recorded_at,
    expiredAt: row.expired_at,
    replacedBy: row.replaced_by,
    project: row.project,
    sessionKey: row.session_key,
  }
}

export function withEvidence(looked: Looked, now: string) {
  const { spans, integrity } = looked
  return { ...toVersion(looked, now), evidence: spans.map(toToldSpan), integrity: integrity.status }
}
