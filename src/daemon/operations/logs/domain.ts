import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { LogEntry, LogEvent } from '../../../contract/operations/logs.js'
import * as contract from '../../../contract/operations/logs.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import { type LogFilter, matchesFilter, type RecentLogs } from '../../ground/telemetry/recent-logs.js'
import { createDaemonState } from '../../platform/daemon/daemon.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { dataText, StreamReaders } from '../../platform/http/event-stream.js'

/**
 * Entries of this period are sent together: a person sees no difference, and a hundred readers cost few
 * writes.
 */
const togetherMs = 50
/** A batch this large is sent at once. */
const maxTogether = 64 * 1024

interface Options {
  recentLogs: Pick<RecentLogs, 'follow'>
  log: Pick<Logger, 'warn'>
  maxReaders?: number
  timers?: Timers
  /** A monotonic clock in milliseconds. */
  now?: () => number
}

interface SerialisedEntry {
  entry: LogEntry
  text: string
}

/** Streams log entries to readers; a slow reader misses entries and gets their number (telemetry.md 1). */
export class LogStreams {
  readonly #readers: StreamReaders<LogFilter>
  readonly #timers: Timers
  readonly #unfollow: () => void
  /** Entries of the next batch, each serialised once for all readers. */
  #next: SerialisedEntry[] = []
  #nextLength = 0
  #cancelNext: (() => void) | undefined

  constructor({ recentLogs, log, maxReaders = 128, timers = systemTimers, now }: Options) {
    this.#timers = timers
    this.#readers = new StreamReaders({
      name: 'log readers',
      maxReaders,
      timers,
      ...(now && { now }),
      dropped: count => ({ type: 'dropped', count }) satisfies LogEvent,
      onLetGo: missed => log.warn({ missed }, 'slow log reader disconnected'),
    })
    this.#unfollow = recentLogs.follow(entry => this.#take(entry))
  }

  /** @throws AppError `overloaded` when there are too many readers. */
  open(filter: LogFilter): Readable {
    // A new reader gets later entries only; earlier ones are in the list of entries.
    this.#handOut()
    const reader = this.#readers.open(filter)
    reader.send(dataText({ type: 'connected' } satisfies LogEvent))
    return reader.readable
  }

  /** Ends all streams without a further event. */
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

/** Serialised entries that many readers share. */
interface Batch {
  bytes: Buffer
  count: number
}

const streams = createDaemonState<LogStreams>()

/** The daemon's recent log entries and the live stream (telemetry.md 1). */
export const logs: Domain = {
  routes: [
    route(contract.listLogs, async ({ recentLogs }, { query: { limit, ...filter } }) => {
      const found = recentLogs.list(filter, limit)
      return { logs: found, count: found.length }
    }),
    route(contract.streamLogs, async (daemon, { query }) => streams.of(daemon).open(query)),
  ],
  workers: [
    daemon => {
      const followed = streams.keep(daemon, new LogStreams(daemon))
      return { start: () => undefined, stopping: () => followed.end(), close: async () => followed.end() }
    },
  ],
}

function batchOf(entries: readonly SerialisedEntry[], filter: LogFilter): Batch {
  const chosen = entries.filter(({ entry }) => matchesFilter(entry, filter))
  return { bytes: Buffer.from(chosen.map(({ text }) => text).join('')), count: chosen.length }
}
