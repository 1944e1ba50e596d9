import { systemTimers, type Timers } from '../../../lib/time/timers.js'

export interface LateWriterOptions<Item> {
  /** Items wait this long to be written together, or until there are enough of them. */
  intervalMs: number
  /** Items that wait when the disk takes none; those that come then are dropped. */
  maxWaiting: number
  /** Enough for one write. */
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
  #isHurrying = false
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
    if (this.#waiting.length >= this.#options.maxTogether) this.#flushSoon()
  }

  /** Writes what waits; it stays waiting where that fails. */
  async flush(): Promise<void> {
    // What is being written now may be without what came last.
    await this.#writing
    this.#writing ??= this.#writeWaiting().finally(() => {
      this.#writing = undefined
    })
    await this.#writing
  }

  /** Writes what waits a last time. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel?.()
    do await this.flush()
    while (this.#waiting.length > 0 && !this.#isFailing)
  }

  /** As many as are written together don't wait for more. */
  #flushSoon(): void {
    if (this.#isHurrying || this.#isFailing || this.#isClosed) return
    this.#isHurrying = true
    void this.flush().finally(() => {
      this.#isHurrying = false
    })
  }

  #flushLater(): void {
    if (this.#cancel || this.#isClosed) return
    this.#cancel = this.#options.timers.after(this.#options.intervalMs, () => {
      this.#cancel = undefined
      void this.flush()
    })
  }

  /** What comes meanwhile waits for its own time: where much comes there would be no pause between writes of little. */
  async #writeWaiting(): Promise<void> {
    const { maxTogether, write, onFault } = this.#options
    for (let left = this.#waiting.length; left > 0; ) {
      const together = this.#waiting.slice(0, Math.min(left, maxTogether))
      try {
        await write(together)
      } catch (error) {
        if (!this.#isFailing) onFault(error)
        this.#isFailing = true
        this.#flushLater()
        return
      }
      this.#isFailing = false
      this.#waiting.splice(0, together.length)
      left -= together.length
    }
  }
}
