import { everyFewMs } from '../../../../lib/concurrency/every-few-ms.js'

/** Rows that are not as they should be, of one kind. */
export interface Damage {
  /** Stable; the id of the finding that tells of it. */
  id: string
  /** Where they stand. */
  table: string
  count: number
  /** Keys of some of them. */
  samples: string[]
}

/** Keys of each kind that are kept. */
const maxSamples = 10

/** Collects damage of many rows by kind. */
export class DamageList {
  readonly #kinds = new Map<string, Damage>()

  add(id: string, table: string, key: string): void {
    const known = this.#kinds.get(id) ?? { id, table, count: 0, samples: [] }
    known.count++
    if (known.samples.length < maxSamples) known.samples.push(key)
    this.#kinds.set(id, known)
  }

  /** Every kind that was found, in alphabetical order. */
  all(): Damage[] {
    return [...this.#kinds.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }
}

/** Rows that one statement looks at: a few milliseconds, so that no read keeps the log from being copied. */
export const stretchRows = 2000

/** Ends a walk whose time is over. */
export class OutOfTime extends Error {
  override name = 'OutOfTime'
}

/** Called between the stretches of a walk. @throws OutOfTime */
export type Pause = () => Promise<void>

/** Gives the event loop its turns, and ends the work at a deadline. @param now milliseconds of a monotonic clock. */
export function pauseUntil(deadline: number, now: () => number, signal?: AbortSignal): Pause {
  const breathe = everyFewMs()
  return async () => {
    signal?.throwIfAborted()
    if (now() > deadline) throw new OutOfTime('the time for this look is over')
    await breathe()
  }
}
