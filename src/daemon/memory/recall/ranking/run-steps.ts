import {
  byScore,
  type Contribution,
  type EvidenceStep,
  type Ranked,
  toScore,
  totalEvidence,
} from './evidence.js'
import { hintCaps } from './hint-cap.js'

/** How the steps of a ranking went. */
export interface StepReport {
  /** Milliseconds by step (spec 1, 1.3.14). */
  timings: Record<string, number>
  /** A failed step left the ranking as it was (spec 1, 1.3.9). */
  failures: { step: string; message: string }[]
}

/** A ranking and how it came about. */
export interface Ranking extends StepReport {
  /** Best first. */
  ranked: Ranked[]
}

/** What a row is before the steps: its own evidence and where that came from. */
export interface Start {
  own: number
  contributions: readonly Contribution[]
}

/** Contributions by memory id. Lists are replaced, never changed: most rows keep what they started with. */
type Ledger = Map<string, readonly Contribution[]>

const HINT_CAP = { name: 'hint_cap', effect: 'multiply' } as const

/**
 * Applies evidence steps in their order. Every step is optional: one that throws or gives anything but finite
 * numbers is reported and skipped as a whole (spec 1, 1.3.9). The cap on hint-only rows comes last: no step lifts
 * them over it.
 *
 * @param report of what was done before; it goes on in the result
 */
export function runSteps<Context>(
  start: ReadonlyMap<string, Start>,
  steps: readonly EvidenceStep<Context>[],
  context: Context,
  report: StepReport = { timings: {}, failures: [] },
): Ranking {
  const ledger: Ledger = new Map()
  for (const [id, { contributions }] of start) ledger.set(id, contributions)
  for (const step of steps) {
    const values = attempt(report, step.name, () => finite(step.run(context)))
    if (values) book(ledger, step, values)
  }
  book(ledger, HINT_CAP, hintCaps(ledger))
  const ranked: Ranked[] = []
  for (const [id, contributions] of ledger) {
    const evidence = totalEvidence(contributions)
    ranked.push({ id, score: toScore(evidence), evidence, own: start.get(id)?.own ?? 0, contributions })
  }
  return { ...report, ranked: ranked.sort(byScore) }
}

/** Runs something optional: times it in `report`, and notes a failure there instead of throwing. */
export function attempt<T>(report: StepReport, step: string, run: () => T): T | undefined {
  const started = performance.now()
  try {
    return run()
  } catch (error) {
    report.failures.push({ step, message: error instanceof Error ? error.message : String(error) })
    return undefined
  } finally {
    report.timings[step] = performance.now() - started
  }
}

/** @returns the values as they are. @throws RangeError when one is not finite. */
export function finite(values: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  for (const [id, value] of values) {
    if (!Number.isFinite(value)) throw new RangeError(`evidence of ${id} is ${value}`)
  }
  return values
}

/** Additions make new candidates (a neighbour without a matching word); factors only weigh known ones. */
function book(
  ledger: Ledger,
  { name, effect }: Pick<EvidenceStep<never>, 'name' | 'effect'>,
  values: ReadonlyMap<string, number>,
): void {
  for (const [id, value] of values) {
    const contributions = ledger.get(id)
    if (contributions) ledger.set(id, [...contributions, { step: name, effect, value }])
    else if (effect === 'add') ledger.set(id, [{ step: name, effect, value }])
  }
}
