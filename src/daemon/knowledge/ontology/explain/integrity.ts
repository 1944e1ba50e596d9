import type {
  IntegrityProblem,
  IntegrityStatus,
  SpanState,
} from '../../../../contract/knowledge/ontology-explain.js'
import type { CheckedSpan } from './check-spans.js'

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
export function worstOf(all: readonly IntegrityStatus[]): IntegrityStatus {
  return order[Math.max(0, ...all.map(status => order.indexOf(status)))] as IntegrityStatus
}

/**
 * Whether a version is what its sources say today: every quote of it has to stand (knowledge.md#integrity).
 * @param isWhole false when not every span was looked at.
 */
export function integrityOf(
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
