import type { Logger } from 'pino'
import type { Timers } from '../../../lib/time/timers.js'
import type { Store } from '../../../store/store.js'
import type { Accesses } from '../../../store/tables/memory/accesses.js'
import { LateWriter } from '../telemetry/late-writer.js'

/** A crash loses what was counted for so long at most. */
const intervalMs = 1000
/** Recalled memories that wait while the disk takes none; later ones are not counted then. */
const maxWaiting = 20_000
/** In one row of the log, which no other thread makes. */
const maxTogether = 1000
/** Some 2,500 memories: gathering them holds the event loop for some 10 ms, and a look at one reads all of the log. */
const maxLogBytes = 100_000

interface Options {
  store: Pick<Store, 'write'>
  log: Logger
  timers?: Timers
}

interface Access {
  id: string
  at: string
}

/** Counts how often memories are recalled, and writes that down for many recalls at once: no recall waits for it. */
export class AccessCounts {
  readonly #writer: LateWriter<Access>
  readonly #store: Options['store']
  readonly #log: Logger
  /** Of the log; undefined until a row was added to it. */
  #logBytes: number | undefined

  constructor({ store, log, timers }: Options) {
    this.#store = store
    this.#log = log
    this.#writer = new LateWriter({
      intervalMs,
      maxWaiting,
      maxTogether,
      write: accessed => this.#write(accessesOf(accessed)),
      onFault: error => log.warn({ err: error }, 'recalls not counted'),
      timers,
    })
  }

  /** @param at ISO timestamp. */
  note(ids: readonly string[], at: string): void {
    for (const id of ids) this.#writer.add({ id, at })
  }

  /** Writes what was counted a last time. */
  close(): Promise<void> {
    return this.#writer.close()
  }

  async #write(accesses: Accesses): Promise<void> {
    await this.#store.write({ until: 'executed' }, tables => tables.accesses.note(accesses))
    // What stands in the log counts already: it is gathered with a later row where that fails now.
    await this.#gatherWhereLong(accesses).catch(error =>
      this.#log.warn({ err: error }, 'counted recalls not gathered'),
    )
  }

  async #gatherWhereLong({ counts }: Accesses): Promise<void> {
    const known = this.#logBytes
    this.#logBytes = undefined
    const bytes =
      known === undefined
        ? await this.#store.write({ until: 'executed' }, tables => tables.accesses.loggedBytes())
        : known + JSON.stringify(counts).length
    if (bytes < maxLogBytes) this.#logBytes = bytes
    else await this.#store.write({ until: 'committed' }, tables => tables.accesses.gather())
  }
}

/** Each memory once. */
function accessesOf(accessed: readonly Access[]): Accesses {
  const counts = new Map<string, number>()
  for (const { id } of accessed) counts.set(id, 1 + (counts.get(id) ?? 0))
  return { at: accessed.at(-1)?.at ?? '', counts: Object.fromEntries(counts) }
}
