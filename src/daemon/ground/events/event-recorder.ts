import type { Logger } from 'pino'
import { systemTimers, type Timers } from '../../../lib/timers.js'
import type { RecordedEvent, TelemetryEvent } from './event.js'

/** Events wait this long to be written together. */
export const flushIntervalMs = 5000
/** Events that wait when the disk takes none; those that come then are dropped. */
const maxWaiting = 5000
const maxTogether = 500

interface Options {
  /** Whether settings and environment let anything be recorded now. */
  isEnabled(): boolean
  /** Writes events down; one that throws is asked again later. */
  write(events: readonly RecordedEvent[]): Promise<void>
  clock: () => Date
  log: Logger
  timers?: Timers
}

/** Takes events at once and writes them together later: nobody waits for them, and no fault reaches who notes one. */
export class EventRecorder {
  readonly #options: Required<Options>
  #waiting: RecordedEvent[] = []
  #dropped = 0
  #isClosed = false
  #isFailing = false
  #cancel: (() => void) | undefined
  #writing: Promise<void> | undefined

  constructor({ timers = systemTimers, ...options }: Options) {
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

  note({ event, properties }: TelemetryEvent): void {
    const { isEnabled, clock } = this.#options
    if (!isEnabled()) return
    if (this.#waiting.length >= maxWaiting) {
      this.#dropped++
      return
    }
    this.#waiting.push({ event, properties, timestamp: clock().toISOString() })
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
    this.#cancel = this.#options.timers.after(flushIntervalMs, () => {
      this.#cancel = undefined
      void this.flush()
    })
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const together = this.#waiting.slice(0, maxTogether)
      try {
        await this.#options.write(together)
      } catch (error) {
        if (!this.#isFailing) this.#options.log.warn({ err: error }, 'events not written')
        this.#isFailing = true
        this.#flushLater()
        return
      }
      this.#isFailing = false
      this.#waiting.splice(0, together.length)
    }
  }
}
