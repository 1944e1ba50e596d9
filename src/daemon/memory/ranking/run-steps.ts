import {
  byScore,
  type Contribution,
  type EvidenceStep,
  type Ranked,
  toScore,
  totalEvidence,
} from './evidence.js'
import { hintCaps } from './hint-cap.js'

/** A ranking and how it came about; a failed step left the ranking as it was (spec 1, 1.3.9). */
export interface Ranking {
  /** Best first. */
  ranked: Ranked[]
  /** Milliseconds by step (spec 1, 1.3.14). */
  timings: Record<string, number>
  failures: { step: string; message: string }[]
}

/** What a row is before the steps: its own evidence and where that came from. */
export type Start = ReadonlyMap<string, { own: number; contributions: readonly Contribution[] }>

const HINT_CAP = { name: 'hint_cap', effect: 'multiply' } as const

/**
 * Applies evidence steps in their order. Every step is optional: one that throws or gives anything but finite
 * numbers is reported and skipped as a whole (spec 1, 1.3.9). The cap on hint-only rows comes last: no step lifts
 * them over it.
 *
 * @param timings of what was done before; carried over into the result
 */
export function runSteps<Context>(
  start: Start,
  steps: readonly EvidenceStep<Context>[],
  context: Context,
  timings: Readonly<Record<string, number>> = {},
): Ranking {
  const ledger = new Map([...start].map(([id, row]) => [id, [...row.contributions]]))
  const ranking: Ranking = { ranked: [], timings: { ...timings }, failures: [] }
  for (const step of steps) {
    const started = performance.now()
    try {
      book(ledger, step, finite(step.run(context)))
    } catch (error) {
      ranking.failures.push({
        step: step.name,
        message: error instanceof Error ? error.message : String(error),
      })
    }
    ranking.timings[step.name] = performance.now() - started
  }
  book(ledger, HINT_CAP, hintCaps(ledger))
  for (const [id, contributions] of ledger) {
    const evidence = totalEvidence(contributions)
    const own = start.get(id)?.own ?? 0
    ranking.ranked.push({ id, score: toScore(evidence), evidence, own, contributions })
  }
  ranking.ranked.sort(byScore)
  return ranking
}

function finite(values: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  for (const [id, value] of values) {
    if (!Number.isFinite(value)) throw new RangeError(`evidence of ${id} is ${value}`)
  }
  return values
}

/** Additions make new candidates (a neighbour without a matching word); factors only weigh known ones. */
function book(
  ledger: Map<string, Contribution[]>,
  { name, effect }: Pick<EvidenceStep<never>, 'name' | 'effect'>,
  values: ReadonlyMap<string, number>,
): void {
  for (const [id, value] of values) {
    const contributions = ledger.get(id)
    if (contributions) contributions.push({ step: name, effect, value })
    else if (effect === 'add') ledger.set(id, [{ step: name, effect, value }])
  }
}
