import type { Logger } from 'pino'
import type { Timers } from '../../../lib/time/timers.js'
import type { Store } from '../../../store/store.js'
import type { Accesses } from '../../../store/tables/memory/accesses.js'
import { LateWriter } from '../telemetry/late-writer.js'

/** A crash loses counts of at most this long. */
const intervalMs = 1000
/** Limit of waiting recalls while the disk accepts none; later ones are not counted. */
const maxWaiting = 20_000
/** Entries per log row. */
const maxTogether = 1000
/**
 * About 2,500 memories. Merging them blocks the event loop for some 10 ms, and each read scans the whole log.
 */
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

/** Counts how often memories are recalled and writes the counts in batches; recalls never wait for it. */
export class AccessCounts {
  readonly #writer: LateWriter<Access>
  readonly #store: Options['store']
  readonly #log: Logger
  /** Size of the log; undefined until a row was added. */
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

  /** Writes the remaining counts. */
  close(): Promise<void> {
    return this.#writer.close()
  }

  async #write(accesses: Accesses): Promise<void> {
    await this.#store.write({ until: 'executed' }, tables => tables.accesses.note(accesses))
    // Log rows already count; if merging fails, a later write repeats it.
    await this.#gatherWhereLong(accesses).catch(error =>
      this.#log.warn({ err: error }, 'recall counts not merged'),
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

/** Merges repeated accesses of a memory. */
function accessesOf(accessed: readonly Access[]): Accesses {
  const counts = new Map<string, number>()
  for (const { id } of accessed) counts.set(id, 1 + (counts.get(id) ?? 0))
  return { at: accessed.at(-1)?.at ?? '', counts: Object.fromEntries(counts) }
}
