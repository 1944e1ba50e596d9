import { everyFewMs } from '../../../../lib/concurrency/every-few-ms.js'

/** Damaged rows of one kind. */
export interface Damage {
  /** Stable: also the id of the finding. */
  id: string
  table: string
  count: number
  /** Keys of some of the rows. */
  samples: string[]
}

/** Sample keys per kind. */
const maxSamples = 10

export class DamageList {
  readonly #kinds = new Map<string, Damage>()

  add(id: string, table: string, key: string): void {
    const known = this.#kinds.get(id) ?? { id, table, count: 0, samples: [] }
    known.count++
    if (known.samples.length < maxSamples) known.samples.push(key)
    this.#kinds.set(id, known)
  }

  /** Every kind found, in alphabetical order. */
  all(): Damage[] {
    return [...this.#kinds.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }
}

/** Rows per statement: a few milliseconds, because a long read keeps SQLite from checkpointing its log. */
export const stretchRows = 2000

/** Ends a walk whose time is up. */
export class OutOfTime extends Error {
  override name = 'OutOfTime'
}

/** Called between the batches of a walk. @throws OutOfTime */
export type Pause = () => Promise<void>

/** Yields to the event loop, and ends the walk at a deadline. @param now milliseconds of a monotonic clock */
export function pauseUntil(deadline: number, now: () => number, signal?: AbortSignal): Pause {
  const breathe = everyFewMs()
  return async () => {
    signal?.throwIfAborted()
    if (now() > deadline) throw new OutOfTime('the time for this look is over')
    await breathe()
  }
}
