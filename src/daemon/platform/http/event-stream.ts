import { Readable } from 'node:stream'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'

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
