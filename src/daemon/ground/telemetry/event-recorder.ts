import type { Logger } from 'pino'
import type { EventName, EventProperties } from '../../../contract/operations/telemetry/telemetry-events.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import { LateWriter } from './late-writer.js'

/** Interval between writes of events. */
export const flushIntervalMs = 5000
/** Interval between writes of counted events. */
const tallyMs = 60_000

interface Options {
  /** True if settings and environment allow recording now. */
  isEnabled(): boolean
  /** Writes events; retried later if it throws. */
  write(events: readonly RecordedEvent[]): Promise<void>
  clock: () => Date
  log: Logger
  timers?: Timers
}

/** An event without texts, names or keys (telemetry.md 3). */
export type TelemetryEvent<Name extends EventName = EventName> = {
  [N in Name]: { event: N; properties: Readonly<EventProperties<N>> }
}[Name]

export type RecordedEvent<Name extends EventName = EventName> = TelemetryEvent<Name> & { timestamp: string }

/** Collects events and writes them in batches. */
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

  /** Number of events waiting to be written. */
  get waiting(): number {
    return this.#writer.waiting
  }

  /** Number of events lost since the start because the disk accepted no writes. */
  get dropped(): number {
    return this.#writer.dropped
  }

  /** True if the last write of events failed. */
  get isFailing(): boolean {
    return this.#writer.isFailing
  }

  note(event: TelemetryEvent): void {
    const { isEnabled, clock } = this.#options
    if (isEnabled()) this.#writer.add({ ...event, timestamp: clock().toISOString() })
  }

  /** Merges frequent events that differ only in numbers into one, with the numbers summed. */
  count(event: TelemetryEvent): void {
    if (!this.#options.isEnabled()) return
    const properties = event.properties as Properties
    const key = keyOf(event.event, properties)
    const known = this.#tallies.get(key)
    if (known) addTo(known.properties, properties)
    else this.#tallies.set(key, { event: event.event, properties: { ...properties } })
    this.#cancelTally ??= this.#options.timers.after(tallyMs, () => this.#noteTallies())
  }

  /** Writes waiting and counted events; after an error they stay queued. */
  async flush(): Promise<void> {
    this.#noteTallies()
    await this.#writer.flush()
  }

  /** Writes the remaining events. */
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

/** The key of events counted together. Built as one string, since every request counts some. */
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
