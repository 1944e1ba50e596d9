import type { Logger } from 'pino'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import type { RecordedEvent, TelemetryEvent } from './event.js'
import { LateWriter } from './late-writer.js'

/** Events wait this long to be written together. */
export const flushIntervalMs = 5000
/** What is counted together is noted once in so long. */
const tallyMs = 60_000

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
  readonly #options: Required<Options>
  readonly #writer: LateWriter<RecordedEvent>
  readonly #tallies = new Map<string, { event: TelemetryEvent['event']; properties: Properties }>()
  #cancelTally: (() => void) | undefined

  constructor({ timers = systemTimers, ...options }: Options) {
    const { write, log } = options
    this.#options = { ...options, timers }
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

  /** Whether the last try to write events failed. */
  get isFailing(): boolean {
    return this.#writer.isFailing
  }

  note(event: TelemetryEvent): void {
    const { isEnabled, clock } = this.#options
    if (isEnabled()) this.#writer.add({ ...event, timestamp: clock().toISOString() })
  }

  /** Notes one event for all that are alike but for their numbers, which are summed: what happens often costs few. */
  count(event: TelemetryEvent): void {
    if (!this.#options.isEnabled()) return
    const properties = event.properties as Properties
    const key = keyOf(event.event, properties)
    const known = this.#tallies.get(key)
    if (known) addTo(known.properties, properties)
    else this.#tallies.set(key, { event: event.event, properties: { ...properties } })
    this.#cancelTally ??= this.#options.timers.after(tallyMs, () => this.#noteTallies())
  }

  /** Writes what waits and what was counted; it stays waiting where that fails. */
  async flush(): Promise<void> {
    this.#noteTallies()
    await this.#writer.flush()
  }

  /** Writes what waits a last time. */
  async close(): Promise<void> {
    this.#noteTallies()
    await this.#writer.close()
  }

  #noteTallies(): void {
    this.#cancelTally?.()
    this.#cancelTally = undefined
    const tallies = [...this.#tallies.values()]
    this.#tallies.clear()
    for (const tally of tallies) this.note(tally as TelemetryEvent)
  }
}

type Properties = Record<string, unknown>

/** What events that are counted together have in common; each request counts some, so that it is made of few pieces. */
function keyOf(event: string, properties: Properties): string {
  return Object.keys(properties).reduce((key, name) => {
    const value = properties[name]
    return typeof value === 'number' ? key : `${key}\n${name} ${typeof value} ${value}`
  }, event)
}

function addTo(sums: Properties, properties: Properties): void {
  for (const [name, value] of Object.entries(properties)) {
    const before = sums[name]
    sums[name] = typeof value === 'number' && typeof before === 'number' ? before + value : value
  }
}
