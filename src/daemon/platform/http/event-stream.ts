import { Readable } from 'node:stream'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'

const keepAliveMs = 15_000
/** Bytes that wait for a slow reader; what may be left out is, above it. */
const defaultWaitingBytes = 4 * 1024 * 1024

/** Server-sent events to one reader. */
export interface EventStream {
  readonly readable: Readable
  send(event: EventData): void
  /** @returns false, and nothing is sent, while so much waits for the reader that this one has to be left out. */
  sendIfRead(event: EventData): boolean
  /** The same for what `dataText` wrote, of one or of several. */
  sendTextIfRead(text: string | Buffer): boolean
  end(): void
}

export interface EventStreamOptions {
  timers?: Timers
  maxWaitingBytes?: number
}

/** Its type is also the name of the event. */
export type EventData = Readonly<Record<string, unknown>> & { readonly type: string }

/** Data without a name, which readers get as `message`. */
export function dataText(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

/**
 * A reply of server-sent events: each with its name and its data as one line of JSON, and a comment every 15 s, so that
 * nobody between takes the connection for dead.
 * @param onClose called once, when the reader goes or the stream ended.
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
