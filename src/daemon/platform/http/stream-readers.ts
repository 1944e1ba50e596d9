import type { Readable } from 'node:stream'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import { createAdmission, enterOrRefuse } from './admission.js'
import { createEventStream, dataText } from './event-stream.js'

/** Of one reader; all together hold what is small beside the daemon. */
const maxWaitingBytes = 128 * 1024
/** A reader that takes nothing for so long is let go of. */
const patienceMs = 30_000

/** One of those who follow something. */
export interface StreamReader<Wish> {
  readonly wish: Wish
  readonly readable: Readable
  /** Sends what `dataText` wrote, unless so much waits for the reader already: then it misses this, and is told later. */
  send(text: string | Buffer, count?: number): void
}

interface Options {
  /** As the refusal of further ones calls them. */
  name: string
  maxReaders: number
  /** What a reader is told that was too slow for so many. */
  dropped(count: number): object
  /** Called when one that took nothing was let go of, with how many it missed. */
  onLetGo(missed: number): void
  timers?: Timers
  /** A monotonic clock in milliseconds. */
  now?: () => number
}

/** Those who follow something as it happens: so many, and none of them may make the daemon hold more and more. */
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

  /** @throws AppError `overloaded` when there are too many. */
  open(wish: Wish): StreamReader<Wish> {
    const { name, timers, now, dropped, onLetGo } = this.#options
    const leave = enterOrRefuse(this.#places, name)
    const close = (): void => {
      leave()
      this.#readers.delete(reader)
    }
    const stream = createEventStream(close, { timers, maxWaitingBytes })
    /** What it missed since the last that it got, and when it began to be too slow. */
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

  /** Ends all streams. */
  end(): void {
    for (const end of this.#readers.values()) end()
  }
}
