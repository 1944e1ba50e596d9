import type {
  IntegrityProblem,
  IntegrityStatus,
  RelatedVersion,
  SpanState,
  VersionStatus,
} from '../../../../contract/knowledge/ontology-explain.js'
import type { ClaimVersionRow } from '../../../../store/tables/knowledge/claims.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { Reader } from '../evidence/source.js'
import {
  type CheckedSpan,
  checkSpans,
  isQuoteFound,
  isSourceReadable,
  toEvidenceQuote,
} from './check-spans.js'

/** Maximum of spans checked at once, because each may need another source. */
const maxSpans = 500

/** A version with the current state of its evidence. */
export interface CheckedVersion {
  row: ClaimVersionRow
  spans: readonly CheckedSpan[]
  integrity: Integrity
  /** True if the reader may read a source of it, or could if it were not forgotten. */
  isForReader: boolean
  /** True if the value may be shown to the reader. */
  isTold: boolean
}

/**
 * Checks the evidence of versions.
 * @param now ISO 8601
 */
export async function checkVersions(
  tables: Tables,
  reader: Reader,
  rows: readonly ClaimVersionRow[],
): Promise<CheckedVersion[]> {
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
      isTold: spans.some(isSourceReadable),
    }
  })
}

/**
 * Returns today's status of a version: `unsupported` if no source contains its quotes any more, `superseded`
 * after its period.
 */
export function statusOf({ row, spans }: CheckedVersion, now: string): VersionStatus {
  if (row.status !== 'current') return row.status as VersionStatus
  if (!spans.some(isQuoteFound)) return 'unsupported'
  return row.valid_until !== null && row.valid_until <= now ? 'superseded' : 'current'
}

/** Converts a version for replies. */
export function toVersion(looked: CheckedVersion, now: string) {
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
    // A value that holds again, or until a planned one begins, is not replaced.
    replacedBy: row.status === 'current' ? null : row.replaced_by,
    project: row.project,
    sessionKey: row.session_key,
  }
}

export function withEvidence(looked: CheckedVersion, now: string) {
  const { spans, integrity } = looked
  return { ...toVersion(looked, now), evidence: spans.map(toEvidenceQuote), integrity: integrity.status }
}

/** Best to worst. */
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

/** Returns the worst status, so that integrity is never overstated. */
function worstOf(all: readonly IntegrityStatus[]): IntegrityStatus {
  return order[Math.max(0, ...all.map(status => order.indexOf(status)))] as IntegrityStatus
}

/**
 * Computes the integrity of a version: all of its quotes must still be found (knowledge.md#integrity).
 * @param isWhole false if not every span was checked
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

/** Combines the integrity of several versions: the worst one counts. */
export function combineIntegrity(all: readonly Integrity[]): Integrity {
  return {
    status: worstOf(all.map(({ status }) => status)),
    problems: all.flatMap(({ problems }) => problems),
  }
}

/** One version between a fact and its premises or conclusions. */
export interface LineageStep {
  looked: CheckedVersion
  of: string
  depth: number
}

/** The versions in one direction, and whether all fit within the limits. */
export interface Lineage {
  steps: readonly LineageStep[]
  isWhole: boolean
}

export interface LineageQuery {
  direction: 'premises' | 'conclusions'
  limit: number
  maxDepth: number
}

/**
 * Follows premises or conclusions of versions level by level. Visited versions are skipped, so cycles end.
 */
export async function followLineage(
  tables: Tables,
  reader: Reader,
  from: readonly string[],
  { direction, limit, maxDepth }: LineageQuery,
): Promise<Lineage> {
  const met = new Set(from)
  const steps: LineageStep[] = []
  let level = from
  for (let depth = 1; level.length > 0; depth++) {
    const edges = await edgesFrom(tables, direction, level, limit + met.size + 1)
    const fresh = edges.filter(({ to }, at) => !met.has(to) && edges.findIndex(edge => edge.to === to) === at)
    if (fresh.length === 0) break
    if (depth > maxDepth) return { steps, isWhole: false }
    const room = fresh.slice(0, limit - steps.length)
    const rows = await tables.claims.loadVersions(room.map(({ to }) => to))
    for (const looked of await checkVersions(tables, reader, rows)) {
      const edge = room.find(({ to }) => to === looked.row.id)
      if (edge) steps.push({ looked, of: edge.from, depth })
    }
    if (room.length < fresh.length) return { steps, isWhole: false }
    for (const { to } of room) met.add(to)
    level = room.map(({ to }) => to)
  }
  return { steps, isWhole: true }
}

async function edgesFrom(
  { claims }: Tables,
  direction: LineageQuery['direction'],
  level: readonly string[],
  limit: number,
): Promise<{ from: string; to: string }[]> {
  if (direction === 'premises') {
    const rows = await claims.premisesOf(level, limit)
    return rows.map(({ version_id, premise_id }) => ({ from: version_id, to: premise_id }))
  }
  const rows = await claims.conclusionsFrom(level, limit)
  return rows.map(({ version_id, premise_id }) => ({ from: premise_id, to: version_id }))
}

/** Converts steps for replies, with the names of their slots. */
export async function toRelatedVersions(
  tables: Tables,
  steps: readonly LineageStep[],
  now: string,
): Promise<RelatedVersion[]> {
  if (steps.length === 0) return []
  const claims = await tables.claims.loadClaims(steps.map(({ looked }) => looked.row.claim_id))
  const entities = await tables.entities.load(claims.map(({ entity_id }) => entity_id))
  return steps.flatMap(({ looked, of, depth }) => {
    const slot = claims.find(({ id }) => id === looked.row.claim_id)
    const entity = entities.find(({ id }) => id === slot?.entity_id)
    if (!slot || !entity) return []
    return {
      id: looked.row.id,
      of,
      depth,
      entity: entity.name,
      aspect: slot.aspect,
      group: slot.group_name,
      claim: slot.claim,
      value: looked.isTold ? looked.row.value : null,
      status: statusOf(looked, now),
      integrity: looked.integrity.status,
    }
  })
}
