import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * V8's `gc` function. Without an argument it collects everything; from Node 22 on an undefined argument makes
 * it collect only the young generation.
 */
type Collect = (options?: { type: 'minor' }) => void

const known: { collect?: Collect } = {}

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

/**
 * Runs a full garbage collection in the calling thread, which blocks it for some tens of milliseconds;
 * `minor` collects only the young generation.
 */
export function collectGarbage(options?: { type: 'minor' }): void {
  known.collect ??= findCollector()
  if (options) known.collect(options)
  else known.collect()
}

/**
 * V8 exposes `gc` in contexts created while the flag is set. The flag is reset, because V8 rejects code
 * caches created under other flags.
 */
function findCollector(): Collect {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('gc') as Collect
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
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
