import type { Readable } from 'node:stream'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import { createAdmission, enterOrRefuse } from './admission.js'
import { createEventStream, dataText } from './event-stream.js'

/** Buffer of one reader; the buffers of all readers together stay small. */
const maxWaitingBytes = 128 * 1024
/** A reader that takes nothing for this long is disconnected. */
const patienceMs = 30_000

export interface StreamReader<Wish> {
  readonly wish: Wish
  readonly readable: Readable
  /**
   * Sends events rendered by `dataText`, unless the reader's buffer is full: then it misses them and gets
   * their number later.
   */
  send(text: string | Buffer, count?: number): void
}

interface Options {
  /** Names the readers in the error for too many of them. */
  name: string
  maxReaders: number
  /** The event that reports the number of missed events. */
  dropped(count: number): object
  /** Called when a reader was disconnected, with the number of events it missed. */
  onLetGo(missed: number): void
  timers?: Timers
  /** A monotonic clock in milliseconds. */
  now?: () => number
}

/** Readers of live events, limited in number and buffer, so that slow ones don't fill the daemon's memory. */
export class StreamReaders<Wish> {
  readonly #readers = new Map<StreamReader<Wish>, () => void>()
  readonly #places
  readonly #options

  constructor({ timers = systemTimers, now = () => performance.now(), ...options }: Options) {
    this.#options = { ...options, timers, now }
    this.#places = createAdmission(options.maxReaders)
  }

  get size(): number {
    return this.#readers.size
  }

  [Symbol.iterator](): IterableIterator<StreamReader<Wish>> {
    return this.#readers.keys()
  }

  /** @throws AppError `overloaded` when there are too many */
  open(wish: Wish): StreamReader<Wish> {
    const { name, timers, now, dropped, onLetGo } = this.#options
    const leave = enterOrRefuse(this.#places, name)
    const close = (): void => {
      leave()
      this.#readers.delete(reader)
    }
    const stream = createEventStream(close, { timers, maxWaitingBytes })
    /** Events missed since the last delivery, and the time of the first one. */
    const behind = { count: 0, since: undefined as number | undefined }
    const reader: StreamReader<Wish> = {
      wish,
      readable: stream.readable,
      send: (text, count = 1) => {
        const missed = behind.count > 0 ? Buffer.from(dataText(dropped(behind.count))) : undefined
        if (stream.sendTextIfRead(missed ? Buffer.concat([missed, Buffer.from(text)]) : text)) {
          behind.count = 0
          behind.since = undefined
          return
        }
        behind.count += count
        behind.since ??= now()
        if (now() - behind.since <= patienceMs) return
        stream.readable.destroy()
        onLetGo(behind.count)
      },
    }
    this.#readers.set(reader, stream.end)
    return reader
  }

  end(): void {
    for (const end of this.#readers.values()) end()
  }
}
