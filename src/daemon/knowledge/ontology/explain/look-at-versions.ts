import type {
  IntegrityProblem,
  IntegrityStatus,
  SpanState,
  VersionStatus,
} from '../../../../contract/knowledge/ontology-explain.js'
import type { ClaimVersionRow } from '../../../../store/tables/knowledge/claims.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { Reader } from '../evidence/source.js'
import { type CheckedSpan, checkSpans, isRead, stands, toToldSpan } from './check-spans.js'

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

/** From the best to the worst. */
const order: readonly IntegrityStatus[] = ['verified', 'unknown', 'unsupported', 'broken']

const meaning: Readonly<Record<SpanState, IntegrityStatus>> = {
  stands: 'verified',
  moved: 'verified',
  hidden: 'unknown',
  forgotten: 'unsupported',
  unclean: 'unsupported',
  gone: 'unsupported',
  changed: 'broken',
}

export interface Integrity {
  status: IntegrityStatus
  problems: IntegrityProblem[]
}

/** The worst of several: integrity is never kinder than the truth. */
function worstOf(all: readonly IntegrityStatus[]): IntegrityStatus {
  return order[Math.max(0, ...all.map(status => order.indexOf(status)))] as IntegrityStatus
}

/**
 * Whether a version is what its sources say today: every quote of it has to stand (knowledge.md#integrity).
 * @param isWhole false when not every span was looked at.
 */
function integrityOf(
  version: string,
  spans: readonly CheckedSpan[],
  { isWhole }: { isWhole: boolean },
): Integrity {
  const told = (problem: string, sourceId: string | null = null) => ({ version, problem, sourceId })
  if (spans.length === 0) return { status: 'unsupported', problems: [told('no_evidence')] }
  const problems = spans
    .filter(({ state }) => meaning[state] !== 'verified')
    .map(({ state, source_id }) => told(`source_${state}`, state === 'hidden' ? null : source_id))
  const statuses = spans.map(({ state }) => meaning[state])
  if (isWhole) return { status: worstOf(statuses), problems }
  return { status: worstOf([...statuses, 'unknown']), problems: [...problems, told('not_all_looked_at')] }
}

/** A version and what it rests on: as bad as the worst of them. */
export function joined(all: readonly Integrity[]): Integrity {
  return {
    status: worstOf(all.map(({ status }) => status)),
    problems: all.flatMap(({ problems }) => problems),
  }
}
