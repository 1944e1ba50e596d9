/** Between two rests, and before the first. */
const betweenMs = 30_000
/** What a collection leaves the next one takes: code that nothing runs goes with age. */
const mostRests = 6

export interface RestsOptions {
  /** Gives back what is only worth having while there is work. */
  rest(): void
  /** A monotonic clock in milliseconds. */
  now?: () => number
}

/** Calls `rest` a few times in a row once there was no work for a while, and then not before there was some again. */
export class Rests {
  readonly #rest: () => void
  readonly #now: () => number
  #quietSince: number
  #rests = 0

  constructor({ rest, now = () => performance.now() }: RestsOptions) {
    this.#rest = rest
    this.#now = now
    this.#quietSince = now()
  }

  /** Call it when there is work. */
  worked(): void {
    this.#quietSince = this.#now()
    this.#rests = 0
  }

  /** Call it now and then. */
  look(): void {
    const isDue = this.#now() - this.#quietSince >= (this.#rests + 1) * betweenMs
    if (!isDue || this.#rests >= mostRests) return
    this.#rests++
    this.#rest()
  }
}
