import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import type { NewRecallRecord, NewRecallResult } from '../../../store/tables/operations/recall-records.js'

export interface LateWriterOptions<Item> {
  /** Interval between writes, unless a batch fills up sooner. */
  intervalMs: number
  /** Limit of waiting items while the disk accepts none; later ones are dropped. */
  maxWaiting: number
  /** Batch size. */
  maxTogether: number
  /** Writes items; retried later if it throws. */
  write(items: readonly Item[]): Promise<void>
  /** Called once per series of failures. */
  onFault(error: unknown): void
  timers?: Timers | undefined
}

/** A recorded recall (telemetry.md 5). */
export interface RecordedRecall {
  record: NewRecallRecord
  results: readonly NewRecallResult[]
}

export type RecallRecorder = LateWriter<RecordedRecall>

/** Collects items and writes them in batches. Adding an item never waits and never fails. */
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

  /** Number of items waiting to be written. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Number of items lost since the start because the disk accepted no writes. */
  get dropped(): number {
    return this.#dropped
  }

  /** True if the last write failed. */
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

  /** Writes waiting items; after an error they stay queued. */
  async flush(): Promise<void> {
    // A write in progress may not include the newest items.
    await this.#writing
    this.#writing ??= this.#writeWaiting().finally(() => {
      this.#writing = undefined
    })
    await this.#writing
  }

  /** Writes the remaining items. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel?.()
    do await this.flush()
    while (this.#waiting.length > 0 && !this.#isFailing)
  }

  /** A full batch does not wait for the interval. */
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

  /** New items wait for the next batch: under load there would be no pause between small writes. */
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
