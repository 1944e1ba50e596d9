import { systemTimers, type Timers } from '../../../lib/timers.js'

export interface LateWriterOptions<Item> {
  /** Items wait this long to be written together. */
  intervalMs: number
  /** Items that wait when the disk takes none; those that come then are dropped. */
  maxWaiting: number
  maxTogether: number
  /** Writes items down; one call that throws is made again later. */
  write(items: readonly Item[]): Promise<void>
  /** Told once of a run of failures. */
  onFault(error: unknown): void
  timers?: Timers | undefined
}

/** Takes items at once and writes them together later: nobody waits for them, and no fault reaches who adds one. */
export class LateWriter<Item> {
  readonly #options: LateWriterOptions<Item> & { timers: Timers }
  #waiting: Item[] = []
  #dropped = 0
  #isClosed = false
  #isFailing = false
  #cancel: (() => void) | undefined
  #writing: Promise<void> | undefined

  constructor({ timers = systemTimers, ...options }: LateWriterOptions<Item>) {
    this.#options = { ...options, timers }
  }

  /** How many wait to be written. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** How many were lost since the start, for want of a disk that takes them. */
  get dropped(): number {
    return this.#dropped
  }

  /** Whether the last try to write failed. */
  get isFailing(): boolean {
    return this.#isFailing
  }

  add(item: Item): void {
    if (this.#waiting.length >= this.#options.maxWaiting) {
      this.#dropped++
      return
    }
    this.#waiting.push(item)
    this.#flushLater()
  }

  /** Writes what waits; it stays waiting where that fails. */
  async flush(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
    })
    await this.#writing
  }

  /** Writes what waits a last time. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel?.()
    await this.flush()
  }

  #flushLater(): void {
    if (this.#cancel || this.#isClosed) return
    this.#cancel = this.#options.timers.after(this.#options.intervalMs, () => {
      this.#cancel = undefined
      void this.flush()
    })
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const together = this.#waiting.slice(0, this.#options.maxTogether)
      try {
        await this.#options.write(together)
      } catch (error) {
        if (!this.#isFailing) this.#options.onFault(error)
        this.#isFailing = true
        this.#flushLater()
        return
      }
      this.#isFailing = false
      this.#waiting.splice(0, together.length)
    }
  }
}
