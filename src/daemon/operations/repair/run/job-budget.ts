import { vectorCeilings } from '../../../../contract/operations/repair/repair-vectors.js'

/** What one job may take on at most; see `vectorCeilings`. */
export interface JobLimits {
  rows: number
  bytes: number
}

/**
 * Counts what one job of a vector repair takes on (operations.md 5.3): rows, bytes of vectors, time, and work units, of
 * which a row that is looked at costs one and a vector that is written two.
 */
export class JobBudget {
  #rows = 0
  #bytes = 0
  #units = 0
  readonly #until: number

  constructor(
    readonly limits: JobLimits,
    readonly now: () => number = () => performance.now(),
  ) {
    this.#until = now() + vectorCeilings.ms
  }

  get isSpent(): boolean {
    return (
      this.#rows >= this.limits.rows || this.#units >= vectorCeilings.workUnits || this.now() >= this.#until
    )
  }

  /** Rows that may still be taken. */
  get rowsLeft(): number {
    return Math.max(0, Math.min(this.limits.rows - this.#rows, vectorCeilings.workUnits - this.#units))
  }

  /** Takes one more row on. @returns false when it does not fit. */
  take({ bytes = 0, units = 1 }: { bytes?: number; units?: number } = {}): boolean {
    if (this.isSpent || this.#bytes + bytes > this.limits.bytes) return false
    if (this.#units + units > vectorCeilings.workUnits) return false
    this.#rows++
    this.#bytes += bytes
    this.#units += units
    return true
  }

  /** Whether a row of so many bytes fits into no job with these limits. */
  isTooLarge(bytes: number): boolean {
    return bytes > this.limits.bytes
  }
}
