import { messageOf } from '../../../../lib/text/message-of.js'
import { TopRows } from '../../../../store/index/arrays/top-rows.js'
import type { Candidate } from './evidence.js'
import type { EvidenceTable, Values } from './evidence-table.js'
import type { Step } from './step.js'

/**
 * Rows of a ranking, best first; ties in the order of ids, so rankings are repeatable. Only requested rows
 * are sorted and built: of hundreds, a few are used.
 */
export class RankedRows {
  readonly #table: EvidenceTable
  /** All places, sorted by evidence up to `#sorted`, the others unsorted. */
  #places: Int32Array
  #sorted = 0

  constructor(table: EvidenceTable) {
    this.#table = table
    const places = new Int32Array(table.rows.count)
    let count = 0
    for (let place = 0; place < places.length; place++) if (table.has(place)) places[count++] = place
    this.#places = places.subarray(0, count)
  }

  get length(): number {
    return this.#places.length
  }

  /** Returns the rows from one rank (0 is the best) to another, exclusive. */
  slice(from = 0, to = this.length): Candidate[] {
    const end = Math.min(to, this.length)
    if (end > this.#sorted) this.#sort(end)
    const ranked: Candidate[] = []
    for (let rank = from; rank < end; rank++) ranked.push(this.#rowAt(this.#places[rank]!))
    return ranked
  }

  #rowAt(place: number): Candidate {
    const table = this.#table
    return {
      id: table.rows.id(place),
      evidence: table.evidence(place),
      own: table.own[place]!,
      contributions: table.contributions(place),
    }
  }

  /** Sorts at least the `wanted` best rows. */
  #sort(wanted: number): void {
    const table = this.#table
    const all = this.#places
    const top = new TopRows(wanted)
    for (let i = 0; i < all.length; i++) top.push(all[i]!, table.evidence(all[i]!))
    top.prune()
    const best: number[] = []
    const others: number[] = []
    for (let i = 0; i < all.length; i++)
      if (table.evidence(all[i]!) >= top.floor) best.push(all[i]!)
      else others.push(all[i]!)
    best.sort(
      (a, b) => table.evidence(b) - table.evidence(a) || (table.rows.id(a) < table.rows.id(b) ? -1 : 1),
    )
    all.set(best)
    all.set(others, best.length)
    this.#sorted = best.length
  }
}

/** Timings and failures of the steps of a ranking. */
export interface StepReport {
  /** Milliseconds by step (recall.md 1.3.14). */
  timings: Record<string, number>
  /** A failed step left the ranking unchanged (recall.md 1.3.9). */
  failures: { step: string; message: string }[]
}

export interface Ranking extends StepReport {
  /** Best first. */
  ranked: RankedRows
}

/**
 * Runs steps in order. An optional step that throws or returns anything but finite numbers is reported and
 * skipped as a whole (recall.md 1.3.9).
 *
 * @param table previous evidence of the rows; owned by this ranking
 */
export function runSteps<Context>(
  steps: readonly Step<Context>[],
  context: Context,
  table: EvidenceTable,
): Ranking {
  const report: StepReport = { timings: {}, failures: [] }
  for (const step of steps)
    if (step.when?.(context) !== false) timeStep(step, report, () => apply(step, context, table))
  return { timings: report.timings, failures: report.failures, ranked: new RankedRows(table) }
}

/** Times a step; records the failure of an optional step instead of throwing. */
export function timeStep(
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

/** A step computes its result before anything changes, so a failure leaves the ranking unchanged. */
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

/** @returns the same values. @throws RangeError when one is not finite; NaN means no value for a place. */
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
