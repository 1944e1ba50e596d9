import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Timers } from '../../../lib/timers.js'
import type { Store } from '../../../store/database.js'
import type { Accessed } from '../../../store/tables/memory/memories.js'
import { LateWriter } from '../events/late-writer.js'

/** A crash loses what was counted for so long at most. */
const intervalMs = 1000
/** Recalled memories that wait while the disk takes none; later ones are not counted then. */
const maxWaiting = 20_000
/** Of one statement: it holds the event loop. */
const maxTogether = 200

interface Options {
  store: Pick<Store, 'bookkeeping'>
  log: Logger
  timers?: Timers
}

/** Counts how often memories are recalled, and writes that down for many recalls at once: no recall waits for it. */
export class AccessCounts {
  readonly #writer: LateWriter<Accessed>

  constructor({ store, log, timers }: Options) {
    this.#writer = new LateWriter({
      intervalMs,
      maxWaiting,
      maxTogether,
      write: async accessed => {
        await store.bookkeeping(({ memories }) => memories.countAccess(onceEach(accessed)))
        await nextTurn()
      },
      onFault: error => log.warn({ err: error }, 'recalls not counted'),
      timers,
    })
  }

  /** @param at ISO timestamp. */
  note(ids: readonly string[], at: string): void {
    for (const id of ids) this.#writer.add({ id, count: 1, at })
  }

  /** Writes what was counted a last time. */
  close(): Promise<void> {
    return this.#writer.close()
  }
}

/** Each memory once, with the time of its last recall. */
function onceEach(accessed: readonly Accessed[]): Accessed[] {
  const byId = new Map<string, Accessed>()
  for (const { id, count, at } of accessed)
    byId.set(id, { id, count: count + (byId.get(id)?.count ?? 0), at })
  return [...byId.values()]
}
