import type { Readable } from 'node:stream'
import type { LogEntry, LogEvent } from '../../../contract/operations/logs.js'
import { systemTimers, type Timers } from '../../../lib/timers.js'
import { fits, type LogFilter, type RecentLogs } from '../../ground/logs/recent-logs.js'
import { createAdmission, enterOrRefuse } from '../../platform/http/admission.js'
import { createEventStream, type EventStream } from '../../platform/http/event-stream.js'

/** Of one reader; all together hold what is small beside the daemon. */
const maxWaitingBytes = 128 * 1024
/** A reader that takes nothing for so long is let go of. */
const patienceMs = 30_000

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
  maxReaders?: number
  timers?: Timers
  /** A monotonic clock in milliseconds. */
  now?: () => number
}

/** Those who follow the log; one that is too slow misses entries and is told how many (telemetry.md 1). */
export class LogStreams {
  readonly #readers = new Set<Reader>()
  readonly #places
  readonly #options
  readonly #unfollow: () => void

  constructor({
    recentLogs,
    maxReaders = 128,
    timers = systemTimers,
    now = () => performance.now(),
  }: Options) {
    this.#places = createAdmission(maxReaders)
    this.#options = { timers, now }
    this.#unfollow = recentLogs.follow(entry => this.#tell(entry))
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
    this.#readers.add(reader)
    stream.sendDataIfRead({ type: 'connected' } satisfies LogEvent)
    return stream.readable
  }

  /** Ends all streams; none is told of anything further. */
  end(): void {
    this.#unfollow()
    for (const { stream } of this.#readers) stream.end()
  }

  #tell(entry: LogEntry): void {
    for (const reader of this.#readers) if (fits(entry, reader.filter)) this.#send(reader, entry)
  }

  #send(reader: Reader, entry: LogEntry): void {
    const { stream } = reader
    const dropped: LogEvent = { type: 'dropped', count: reader.dropped }
    if ((reader.dropped === 0 || stream.sendDataIfRead(dropped)) && stream.sendDataIfRead(entry)) {
      reader.dropped = 0
      reader.fullSince = undefined
      return
    }
    reader.dropped++
    reader.fullSince ??= this.#options.now()
    if (this.#options.now() - reader.fullSince > patienceMs) stream.readable.destroy()
  }
}
