/** Idle time before the first rest, and between two of them. */
const betweenMs = 30_000
/** One collection does not free everything: V8 drops unused code only after several. */
const mostRests = 6

export interface RestsOptions {
  /** Frees resources that are only useful during work. */
  rest(): void
  /** Monotonic clock in milliseconds. */
  now?: () => number
}

/** Calls `rest` a few times after a while without work, and not again until work has occurred. */
export class IdleRests {
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

  /** Call it regularly, for example every second. */
  look(): void {
    const isDue = this.#now() - this.#quietSince >= (this.#rests + 1) * betweenMs
    if (!isDue || this.#rests >= mostRests) return
    this.#rests++
    this.#rest()
  }
}
