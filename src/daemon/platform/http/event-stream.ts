import { Readable } from 'node:stream'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import { createAdmission, enterOrRefuse } from './admission.js'

const keepAliveMs = 15_000
/** Buffered bytes for a slow reader, above which optional events are dropped. */
const defaultWaitingBytes = 4 * 1024 * 1024

/** Server-sent events to one reader. */
export interface EventStream {
  readonly readable: Readable
  send(event: EventData): void
  /** @returns false without sending when the reader's buffer is full */
  sendIfRead(event: EventData): boolean
  /** The same for one or several events already rendered by `dataText`. */
  sendTextIfRead(text: string | Buffer): boolean
  end(): void
}

export interface EventStreamOptions {
  timers?: Timers
  maxWaitingBytes?: number
}

/** The type is also the event's name. */
export type EventData = Readonly<Record<string, unknown>> & { readonly type: string }

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

/** An event without a name, which readers get as `message`. */
export function dataText(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

/**
 * Creates a reply of server-sent events: each with its name and one line of JSON, and a comment every 15 s,
 * so that proxies don't close the connection.
 * @param onClose called once, when the reader disconnects or the stream ends
 */
export function createEventStream(
  onClose: () => void,
  { timers = systemTimers, maxWaitingBytes = defaultWaitingBytes }: EventStreamOptions = {},
): EventStream {
  const readable = new Readable({
    read: () => undefined,
    destroy: (error, done) => {
      stopKeeping()
      onClose()
      done(error)
    },
  })
  const push = (text: string | Buffer): void => {
    if (!readable.readableEnded && !readable.destroyed && !ended) readable.push(text)
  }
  let ended = false
  const stopKeeping = timers.every(keepAliveMs, () => push(': keep-alive\n\n'))
  const textOf = (event: EventData): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
  const pushIfRead = (text: () => string | Buffer): boolean => {
    if (readable.readableLength > maxWaitingBytes) return false
    push(text())
    return true
  }
  return {
    readable,
    send: event => push(textOf(event)),
    sendIfRead: event => pushIfRead(() => textOf(event)),
    sendTextIfRead: text => pushIfRead(() => text),
    end: () => {
      if (ended) return
      readable.push(null)
      ended = true
    },
  }
}
