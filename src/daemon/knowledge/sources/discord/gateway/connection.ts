import type { WebSocket } from 'ws'
import {
  type WireFrame,
  wireFrame,
  wireHello,
} from '../../../../../contract/knowledge/sources/discord-wire.js'
import { createMailbox } from '../../../../../lib/concurrency/mailbox.js'
import type { Timers } from '../../../../../lib/time/timers.js'
import { jsonAtOnceBytes, jsonInSlices } from '../../../../ground/fetch/exchange.js'

/** How the next connection starts. */
type NextStep = 'resume' | 'identify' | 'never'

/** Close codes after which a person must act before a connection can succeed, with advice. */
export const fatalCodes: Readonly<Record<number, string>> = {
  4004: 'Discord refuses the token: reset it in the developer portal and store it with memory secrets set',
  4010: 'Discord refuses the shard',
  4011: 'the bot is in so many servers that Discord requires sharding, which is not supported: use --mode rest',
  4012: 'Discord no longer speaks this version of its gateway: update memory-service',
  4013: 'Discord does not know the requested intents: update memory-service',
  4014: 'an intent is disabled: in the Discord developer portal, under Bot, Privileged Gateway Intents, enable Message Content Intent, and Server Members Intent if members are read',
}

/** Close codes that end the session: missed events must be read over the API. */
const endedSessions = new Set([4003, 4007, 4009])

/** Opcodes of gateway frames. */
const op = {
  dispatch: 0,
  heartbeat: 1,
  reconnect: 7,
  invalidSession: 9,
  hello: 10,
  acknowledged: 11,
} as const
/** Close code that keeps the session resumable; 1000 would end it. */
const goOnLater = 4000
const helloMs = 20_000
/** Time that a peer has to answer a close. */
const closingMs = 1_000
/** Limit of queued events; events beyond it are sent again on resume. */
const mostWaiting = 5_000

/** The outcome of a connection. */
export interface ConnectionEnd {
  next: NextStep
  /** Code of the peer's close; undefined if we closed it or it broke. */
  code: number | undefined
  why: string
}

export interface ConnectionOptions {
  socket: WebSocket
  timers: Timers
  /** Returns 0 to 1: a random delay of the first heartbeat, so that clients do not send them all at once. */
  random(): number
  /** The sequence number to resume from; null without a session. */
  sequence: number | null
  /** Returns the frame to send after the peer's hello: identify or resume. */
  greet(): { op: number; d: unknown }
}

/** One WebSocket connection to the gateway: greets, sends heartbeats, passes events on. */
export interface Connection {
  /** Yields dispatched events in order until the connection ends. */
  events(): AsyncGenerator<WireFrame>
  /** Returns the outcome after the end. */
  end(): ConnectionEnd | undefined
  /** Closes the connection; the session stays resumable. */
  close(): void
}

export function openConnection(options: ConnectionOptions): Connection {
  const connection = new GatewayConnection(options)
  return connection
}

class GatewayConnection implements Connection {
  readonly #options: ConnectionOptions
  readonly #mailbox = createMailbox<WireFrame>()
  #end: ConnectionEnd | undefined
  #lastSequence: number | null
  #isAcknowledged = true
  /** Frames queued while an earlier one is parsed in slices; otherwise undefined. */
  #behind: Buffer[] | undefined
  #cancels: (() => void)[] = []

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#lastSequence = options.sequence
    const { socket, timers } = options
    // The default of a socket is Buffers.
    socket.on('message', data => this.#hear(data as Buffer))
    socket.on('close', (code, reason) => this.#closed(code, reason.toString()))
    socket.on('error', error => this.#finish({ next: 'resume', code: undefined, why: error.message }))
    this.#cancels.push(timers.after(helloMs, () => this.#drop('the gateway sent nothing')))
  }

  events(): AsyncGenerator<WireFrame> {
    return this.#mailbox.items()
  }

  end(): ConnectionEnd | undefined {
    return this.#end
  }

  close(): void {
    this.#drop('closed')
  }

  #hear(bytes: Buffer): void {
    if (this.#end) return
    if (this.#behind) this.#behind.push(bytes)
    else if (bytes.length <= jsonAtOnceBytes) this.#take(parseFrame(bytes))
    else void this.#takeInSlices(bytes)
  }

  /**
   * Parses a frame of possibly megabytes in slices, so that the event loop is not blocked; later frames wait.
   */
  async #takeInSlices(first: Buffer): Promise<void> {
    const { socket } = this.#options
    const behind: Buffer[] = []
    this.#behind = behind
    socket.pause()
    for (let bytes: Buffer | undefined = first; bytes && !this.#end; bytes = behind.shift())
      this.#take(await jsonInSlices(bytes).catch(() => undefined))
    this.#behind = undefined
    socket.resume()
  }

  #take(value: unknown): void {
    if (this.#end) return
    const frame = wireFrame.safeParse(value)
    if (!frame.success) return void this.#drop('the gateway sent an invalid frame')
    const { op: kind, d, s } = frame.data
    if (kind === op.dispatch) {
      this.#lastSequence = s ?? this.#lastSequence
      this.#mailbox.put(frame.data)
      if (this.#mailbox.count() > mostWaiting) this.#drop('events arrive faster than they are processed')
    } else if (kind === op.hello) this.#begin(d)
    else if (kind === op.heartbeat) this.#beat()
    else if (kind === op.acknowledged) this.#isAcknowledged = true
    else if (kind === op.reconnect) this.#drop('the gateway asked to reconnect')
    else if (kind === op.invalidSession)
      this.#drop('the gateway ended the session', d === true ? 'resume' : 'identify')
  }

  #begin(hello: unknown): void {
    const known = wireHello.safeParse(hello)
    if (!known.success) return void this.#drop('the gateway sent a hello without a heartbeat interval')
    this.#stopTimers()
    const { timers, random } = this.#options
    const everyMs = known.data.heartbeat_interval
    const first = timers.after(everyMs * random(), () => {
      this.#beat()
      this.#cancels.push(timers.every(everyMs, () => this.#beatOrDrop()))
    })
    this.#cancels.push(first)
    this.#send(this.#options.greet())
  }

  /** A peer that did not acknowledge a heartbeat is gone, even without another sign. */
  #beatOrDrop(): void {
    if (this.#isAcknowledged) this.#beat()
    else this.#drop('the gateway did not answer a heartbeat')
  }

  #beat(): void {
    this.#isAcknowledged = false
    this.#send({ op: op.heartbeat, d: this.#lastSequence })
  }

  #send(frame: object): void {
    const { socket } = this.#options
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame))
  }

  #closed(code: number, reason: string): void {
    // 1006 and 1005 are never sent: they mean that the connection broke.
    const isClose = code !== 1006 && code !== 1005
    const why = isClose
      ? `the gateway closed with ${code}${reason ? ` (${reason})` : ''}`
      : 'the connection was lost'
    this.#finish({ next: stepAfter(code), code: isClose ? code : undefined, why })
  }

  #drop(why: string, next: NextStep = 'resume'): void {
    if (this.#end) return
    const { socket, timers } = this.#options
    this.#finish({ next, code: undefined, why })
    socket.close(goOnLater)
    timers.after(closingMs, () => socket.terminate())
  }

  #finish(end: ConnectionEnd): void {
    if (this.#end) return
    this.#end = end
    this.#stopTimers()
    this.#mailbox.end()
  }

  #stopTimers(): void {
    for (const cancel of this.#cancels) cancel()
    this.#cancels = []
  }
}

function parseFrame(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

/** Decides how to reconnect after a close; a broken connection is resumed. */
function stepAfter(code: number): NextStep {
  if (code in fatalCodes) return 'never'
  return endedSessions.has(code) ? 'identify' : 'resume'
}
