import { messageOf } from '../../../../lib/text/message-of.js'
import type { EvidenceTable, Values } from './evidence-table.js'
import { RankedRows } from './ranked-rows.js'
import type { Step } from './step.js'

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
  ranked: RankedRows
}

/**
 * Runs steps in their order. An optional step that throws or gives anything but finite numbers is reported and skipped
 * as a whole (recall.md 1.3.9).
 *
 * @param table what the rows were given before, and belongs to this ranking
 */
export function runSteps<Context>(
  steps: readonly Step<Context>[],
  context: Context,
  table: EvidenceTable,
): Ranking {
  const report: StepReport = { timings: {}, failures: [] }
  for (const step of steps)
    if (step.when?.(context) !== false) perform(step, report, () => apply(step, context, table))
  return { timings: report.timings, failures: report.failures, ranked: new RankedRows(table) }
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
    failures.push({ step: name, message: messageOf(error) })
  } finally {
    if (!untimed) timings[name] = performance.now() - started
  }
}

/** A step computes its result before anything is changed, so one that throws leaves the ranking as it was. */
function apply<Context>(step: Step<Context>, context: Context, table: EvidenceTable): void {
  if (step.effect === 'find') table.find(step.run(context))
  else if (step.effect === 'widen') table.widen(step.run(context, table))
  else {
    const values = step.run(context, table)
    if (isSome(values)) table.book(step.name, step.effect, finite(values))
  }
}

function isSome(values: Values): values is NonNullable<Values> {
  return values instanceof Float64Array || (values !== undefined && values.size > 0)
}

/** @returns the values as they are. @throws RangeError when one is not finite; none in a place is NaN. */
function finite(values: NonNullable<Values>): NonNullable<Values> {
  const check = (row: string | number, value: number) => {
    if (!Number.isFinite(value)) throw new RangeError(`evidence of ${row} is ${value}`)
  }
  if (values instanceof Float64Array) {
    for (let place = 0; place < values.length; place++)
      if (!Number.isNaN(values[place])) check(place, values[place]!)
  } else for (const [id, value] of values) check(id, value)
  return values
}
