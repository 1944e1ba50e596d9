import type { Logger } from 'pino'
import type { Timers } from '../../../lib/timers.js'
import type { RecordedEvent, TelemetryEvent } from './event.js'
import { LateWriter } from './late-writer.js'

/** Events wait this long to be written together. */
export const flushIntervalMs = 5000

interface Options {
  /** Whether settings and environment let anything be recorded now. */
  isEnabled(): boolean
  /** Writes events down; one that throws is asked again later. */
  write(events: readonly RecordedEvent[]): Promise<void>
  clock: () => Date
  log: Logger
  timers?: Timers
}

/** Takes events as they happen and has them written together later. */
export class EventRecorder {
  readonly #options: Options
  readonly #writer: LateWriter<RecordedEvent>

  constructor(options: Options) {
    const { write, log, timers } = options
    this.#options = options
    this.#writer = new LateWriter({
      intervalMs: flushIntervalMs,
      maxWaiting: 5000,
      maxTogether: 500,
      write,
      onFault: error => log.warn({ err: error }, 'events not written'),
      timers,
    })
  }

  /** How many wait to be written. */
  get waiting(): number {
    return this.#writer.waiting
  }

  /** How many were lost since the start, for want of a disk that takes them. */
  get dropped(): number {
    return this.#writer.dropped
  }

  note({ event, properties }: TelemetryEvent): void {
    const { isEnabled, clock } = this.#options
    if (isEnabled()) this.#writer.add({ event, properties, timestamp: clock().toISOString() })
  }

  /** Writes what waits; it stays waiting where that fails. */
  async flush(): Promise<void> {
    await this.#writer.flush()
  }

  /** Writes what waits a last time. */
  async close(): Promise<void> {
    await this.#writer.close()
  }
}
