import { vectorCeilings } from '../../../../contract/operations/repair/repair.js'

/** Limits of one job; see `vectorCeilings`. */
export interface JobLimits {
  rows: number
  bytes: number
}

/**
 * Counts the rows, vector bytes, time and work units of one vector repair job (operations.md 5.3). Reading a
 * row costs one unit, writing a vector two.
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

  get rowsLeft(): number {
    return Math.max(0, Math.min(this.limits.rows - this.#rows, vectorCeilings.workUnits - this.#units))
  }

  /** Adds one row to the job. @returns false when it does not fit. */
  take({ bytes = 0, units = 1 }: { bytes?: number; units?: number } = {}): boolean {
    if (this.isSpent || this.#bytes + bytes > this.limits.bytes) return false
    if (this.#units + units > vectorCeilings.workUnits) return false
    this.#rows++
    this.#bytes += bytes
    this.#units += units
    return true
  }

  /** True when a row of this size fits into no job with these limits. */
  isTooLarge(bytes: number): boolean {
    return bytes > this.limits.bytes
  }
}
