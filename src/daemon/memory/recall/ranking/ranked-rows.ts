import { TopRows } from '../../../../store/index/arrays/top-rows.js'
import type { Candidate } from './evidence.js'
import type { EvidenceTable } from './evidence-table.js'

/**
 * The rows of a ranking, best first; equal ones in the order of their ids, so that a ranking is repeatable. Of hundreds
 * that were found a few are looked at: only so many are put in order, and made.
 */
export class RankedRows {
  readonly #table: EvidenceTable
  /** Every place by its evidence as far as `#sorted`, the others in any order. */
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

  /** The rows from one rank, 0 is the best, to before another. */
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

  /** Puts at least so many of the best in order. */
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
