import {
  byScore,
  type Contribution,
  type Effect,
  evidenceById,
  type Given,
  type Ranked,
  type Step,
  totalEvidence,
} from './evidence.js'

/** How the steps of a ranking went. */
export interface StepReport {
  /** Milliseconds by step (recall.md 1.3.14). */
  timings: Record<string, number>
  /** A failed step left the ranking as it was (recall.md 1.3.9). */
  failures: { step: string; message: string }[]
}

/** A ranking and how it came about. */
export interface Ranking extends StepReport {
  /** Best first. */
  ranked: Ranked[]
}

/** A ranking in the making. */
interface Standing {
  given: Map<string, readonly Contribution[]>
  /** Whether the lists of contributions are its own, and grow in place; those of a ranking before it are replaced. */
  isOwner: boolean
  own: ReadonlyMap<string, number>
}

/**
 * Runs steps in their order. An optional step that throws or gives anything but finite numbers is reported and skipped
 * as a whole (recall.md 1.3.9).
 *
 * @param given contributions of the steps that ran before, by memory id
 */
export function runSteps<Context extends { own: ReadonlyMap<string, number> }>(
  steps: readonly Step<Context>[],
  context: Context,
  given: Given = new Map(),
): Ranking {
  const report: StepReport = { timings: {}, failures: [] }
  const standing: Standing = { given: new Map(given), isOwner: false, own: context.own }
  for (const step of steps) {
    const seen = { ...context, own: standing.own }
    if (step.when?.(seen) !== false) perform(step, report, () => apply(step, seen, standing))
  }
  const ranked: Ranked[] = []
  for (const [id, contributions] of standing.given) {
    const evidence = totalEvidence(contributions)
    ranked.push({ id, evidence, own: standing.own.get(id) ?? 0, contributions })
  }
  return { ...report, ranked: ranked.sort(byScore) }
}

/** Times a step in `report`; notes the failure of one that is optional there instead of throwing. */
export function perform(
  { name, optional, untimed }: Pick<Step<unknown>, 'name' | 'optional' | 'untimed'>,
  { timings, failures }: StepReport,
  run: () => void,
): void {
  const started = performance.now()
  try {
    run()
  } catch (error) {
    if (!optional) throw error
    failures.push({ step: name, message: error instanceof Error ? error.message : String(error) })
  } finally {
    if (!untimed) timings[name] = performance.now() - started
  }
}

/** A step computes its result before anything is changed, so one that throws leaves the ranking as it was. */
function apply<Context>(step: Step<Context>, context: Context, standing: Standing): void {
  if (step.effect === 'find') {
    standing.given = step.run(context)
    standing.isOwner = true
    standing.own = evidenceById(standing.given)
  } else if (step.effect === 'widen') standing.own = step.run(context)
  else book(standing, step, finite(step.run(context, standing.given)))
}

/** @returns the values as they are. @throws RangeError when one is not finite. */
function finite(values: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  for (const [id, value] of values) {
    if (!Number.isFinite(value)) throw new RangeError(`evidence of ${id} is ${value}`)
  }
  return values
}

/** Additions make new candidates (a neighbour without a matching word); factors only weigh known ones. */
function book(
  { given, isOwner }: Standing,
  { name, effect }: { name: string; effect: Effect },
  values: ReadonlyMap<string, number>,
): void {
  for (const [id, value] of values) {
    const contributions = given.get(id)
    if (contributions && isOwner) (contributions as Contribution[]).push({ step: name, effect, value })
    else if (contributions) given.set(id, [...contributions, { step: name, effect, value }])
    else if (effect === 'add') given.set(id, [{ step: name, effect, value }])
  }
}
