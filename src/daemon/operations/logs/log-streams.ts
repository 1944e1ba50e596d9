import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { LogEntry, LogEvent } from '../../../contract/operations/logs.js'
import { systemTimers, type Timers } from '../../../lib/timers.js'
import { fits, type LogFilter, type RecentLogs } from '../../ground/logs/recent-logs.js'
import { createAdmission, enterOrRefuse } from '../../platform/http/admission.js'
import { createEventStream, dataText, type EventStream } from '../../platform/http/event-stream.js'

/** Of one reader; all together hold what is small beside the daemon. */
const maxWaitingBytes = 128 * 1024
/** A reader that takes nothing for so long is let go of. */
const patienceMs = 30_000
/** Entries of so long go to readers together: a person sees no difference, and a hundred readers cost few writes. */
const togetherMs = 50
/** So much goes at once, however short the time. */
const maxTogether = 64 * 1024

interface Reader {
  stream: EventStream
  filter: LogFilter
  /** Entries that it was too slow for since the last one that it got. */
  dropped: number
  /** When it began to be too slow, in milliseconds of the process. */
  fullSince: number | undefined
}

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
  readonly #readers = new Set<Reader>()
  readonly #places
  readonly #options
  readonly #unfollow: () => void
  /** What came and goes to readers next, each written as text once for all of them. */
  #next: Written[] = []
  #nextLength = 0
  #cancelNext: (() => void) | undefined

  constructor({
    recentLogs,
    log,
    maxReaders = 128,
    timers = systemTimers,
    now = () => performance.now(),
  }: Options) {
    this.#places = createAdmission(maxReaders)
    this.#options = { log, timers, now }
    this.#unfollow = recentLogs.follow(entry => this.#take(entry))
  }

  /** @throws AppError `overloaded` when there are too many. */
  open(filter: LogFilter): Readable {
    const leave = enterOrRefuse(this.#places, 'readers of the log')
    const close = (): void => {
      leave()
      this.#readers.delete(reader)
    }
    const { timers } = this.#options
    const stream = createEventStream(close, { timers, maxWaitingBytes })
    const reader: Reader = { stream, filter, dropped: 0, fullSince: undefined }
    // What was said before is in the list of entries, and not the new reader's.
    this.#handOut()
    this.#readers.add(reader)
    stream.sendTextIfRead(dataText({ type: 'connected' } satisfies LogEvent))
    return stream.readable
  }

  /** Ends all streams; none is told of anything further. */
  end(): void {
    this.#unfollow()
    this.#handOut()
    for (const { stream } of this.#readers) stream.end()
  }

  #take(entry: LogEntry): void {
    if (this.#readers.size === 0) return
    const text = dataText(entry)
    this.#next.push({ entry, text })
    this.#nextLength += text.length
    if (this.#nextLength >= maxTogether) this.#handOut()
    else this.#cancelNext ??= this.#options.timers.after(togetherMs, () => this.#handOut())
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
      const { level, category } = reader.filter
      const key = `${level} ${category}`
      const batch = batches.get(key) ?? batchOf(entries, reader.filter)
      batches.set(key, batch)
      if (batch.count > 0) this.#send(reader, batch)
    }
  }

  #send(reader: Reader, { bytes, count }: Batch): void {
    const { stream, dropped } = reader
    const missed = dataText({ type: 'dropped', count: dropped } satisfies LogEvent)
    if (stream.sendTextIfRead(dropped === 0 ? bytes : Buffer.concat([Buffer.from(missed), bytes]))) {
      reader.dropped = 0
      reader.fullSince = undefined
      return
    }
    const { now, log } = this.#options
    reader.dropped += count
    reader.fullSince ??= now()
    if (now() - reader.fullSince <= patienceMs) return
    stream.readable.destroy()
    log.warn({ missed: reader.dropped }, 'a reader of the log took nothing and was let go of')
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
