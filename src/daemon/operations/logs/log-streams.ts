import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { LogEntry, LogEvent } from '../../../contract/operations/logs.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import { fits, type LogFilter, type RecentLogs } from '../../ground/telemetry/recent-logs.js'
import { dataText } from '../../platform/http/event-stream.js'
import { StreamReaders } from '../../platform/http/stream-readers.js'

/** Entries of so long go to readers together: a person sees no difference, and a hundred readers cost few writes. */
const togetherMs = 50
/** So much goes at once, however short the time. */
const maxTogether = 64 * 1024

interface Options {
  recentLogs: Pick<RecentLogs, 'follow'>
  log: Pick<Logger, 'warn'>
  maxReaders?: number
  timers?: Timers
  /** A monotonic clock in milliseconds. */
  now?: () => number
}

interface Written {
  entry: LogEntry
  text: string
}

/** Those who follow the log; one that is too slow misses entries and is told how many (telemetry.md 1). */
export class LogStreams {
  readonly #readers: StreamReaders<LogFilter>
  readonly #timers: Timers
  readonly #unfollow: () => void
  /** What came and goes to readers next, each written as text once for all of them. */
  #next: Written[] = []
  #nextLength = 0
  #cancelNext: (() => void) | undefined

  constructor({ recentLogs, log, maxReaders = 128, timers = systemTimers, now }: Options) {
    this.#timers = timers
    this.#readers = new StreamReaders({
      name: 'readers of the log',
      maxReaders,
      timers,
      ...(now && { now }),
      dropped: count => ({ type: 'dropped', count }) satisfies LogEvent,
      onLetGo: missed => log.warn({ missed }, 'a reader of the log took nothing and was let go of'),
    })
    this.#unfollow = recentLogs.follow(entry => this.#take(entry))
  }

  /** @throws AppError `overloaded` when there are too many. */
  open(filter: LogFilter): Readable {
    // What was said before is in the list of entries, and not the new reader's.
    this.#handOut()
    const reader = this.#readers.open(filter)
    reader.send(dataText({ type: 'connected' } satisfies LogEvent))
    return reader.readable
  }

  /** Ends all streams; none is told of anything further. */
  end(): void {
    this.#unfollow()
    this.#handOut()
    this.#readers.end()
  }

  #take(entry: LogEntry): void {
    if (this.#readers.size === 0) return
    const text = dataText(entry)
    this.#next.push({ entry, text })
    this.#nextLength += text.length
    if (this.#nextLength >= maxTogether) this.#handOut()
    else this.#cancelNext ??= this.#timers.after(togetherMs, () => this.#handOut())
  }

  #handOut(): void {
    this.#cancelNext?.()
    this.#cancelNext = undefined
    const entries = this.#next
    this.#next = []
    this.#nextLength = 0
    if (entries.length === 0) return
    const batches = new Map<string, Batch>()
    for (const reader of this.#readers) {
      const { level, category } = reader.wish
      const key = `${level} ${category}`
      const batch = batches.get(key) ?? batchOf(entries, reader.wish)
      batches.set(key, batch)
      if (batch.count > 0) reader.send(batch.bytes, batch.count)
    }
  }
}

/** Entries as bytes that many readers share. */
interface Batch {
  bytes: Buffer
  count: number
}

function batchOf(entries: readonly Written[], filter: LogFilter): Batch {
  const chosen = entries.filter(({ entry }) => fits(entry, filter))
  return { bytes: Buffer.from(chosen.map(({ text }) => text).join('')), count: chosen.length }
}
