import type { WebSocket } from 'ws'
import {
  type WireFrame,
  wireFrame,
  wireHello,
} from '../../../../../contract/knowledge/sources/discord-wire.js'
import { createMailbox } from '../../../../../lib/concurrency/mailbox.js'
import type { Timers } from '../../../../../lib/time/timers.js'
import { jsonAtOnceBytes, jsonInSlices } from '../../../../ground/fetch/json-in-slices.js'

/** What the end of a connection means for the next one. */
type NextStep = 'resume' | 'identify' | 'never'

/** Codes after which no connection can be made until a person has done something, with what that is. */
export const fatalCodes: Readonly<Record<number, string>> = {
  4004: 'Discord refuses the token: reset it in the developer portal and store it with memory secrets set',
  4010: 'Discord refuses the shard',
  4011: 'the bot is in so many servers that Discord wants it in shards, which this source does not do: use --mode rest',
  4012: 'Discord no longer speaks this version of its gateway: update memory-service',
  4013: 'Discord does not know the intents that are asked for: update memory-service',
  4014: 'an intent is not switched on: in the developer portal of Discord, under Bot, Privileged Gateway Intents, switch on Message Content Intent, and Server Members Intent where members are read',
}

/** After these the session is over: what was missed comes from the API. */
const endedSessions = new Set([4003, 4007, 4009])

/** What frames of the gateway are. */
const op = {
  dispatch: 0,
  heartbeat: 1,
  reconnect: 7,
  invalidSession: 9,
  hello: 10,
  acknowledged: 11,
} as const
/** A close of ours by which the session lives on; 1000 would end it. */
const goOnLater = 4000
const helloMs = 20_000
/** How long a peer may take to answer a close. */
const closingMs = 1_000
/** Events that wait for us; what is beyond them comes again with a resume. */
const mostWaiting = 5_000

/** How a connection ended. */
export interface ConnectionEnd {
  next: NextStep
  /** Of the peer's close; undefined where we ended it, or it broke. */
  code: number | undefined
  why: string
}

export interface ConnectionOptions {
  socket: WebSocket
  timers: Timers
  /** 0 to 1: when the first heartbeat comes, so that many clients do not beat at once. */
  random(): number
  /** The sequence that is resumed from; null without a session. */
  sequence: number | null
  /** What is sent once the peer has said hello: identify or resume. */
  greet(): { op: number; d: unknown }
}

/** One WebSocket to the gateway for as long as it lives: greets, keeps the heart beating, hands on events. */
export interface Connection {
  /** Dispatched events in their order, until the connection ends. */
  events(): AsyncGenerator<WireFrame>
  /** Set once it has ended. */
  end(): ConnectionEnd | undefined
  /** Ends it; the session can be resumed. */
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
  /** Frames behind one that is parsed in slices; undefined while there is none. */
  #behind: Buffer[] | undefined
  #cancels: (() => void)[] = []

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#lastSequence = options.sequence
    const { socket, timers } = options
    // A socket gives Buffers unless it is told otherwise.
    socket.on('message', data => this.#hear(data as Buffer))
    socket.on('close', (code, reason) => this.#closed(code, reason.toString()))
    socket.on('error', error => this.#finish({ next: 'resume', code: undefined, why: error.message }))
    this.#cancels.push(timers.after(helloMs, () => this.#drop('the gateway said nothing')))
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
    else if (bytes.length <= jsonAtOnceBytes) this.#take(parsed(bytes))
    else void this.#takeInSlices(bytes)
  }

  /** A frame may have megabytes, which is longer than a turn: it is parsed in slices, and those behind it wait. */
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
    if (!frame.success) return void this.#drop('the gateway sent something that is no frame')
    const { op: kind, d, s } = frame.data
    if (kind === op.dispatch) {
      this.#lastSequence = s ?? this.#lastSequence
      this.#mailbox.put(frame.data)
      if (this.#mailbox.count() > mostWaiting) this.#drop('events come faster than they are taken in')
    } else if (kind === op.hello) this.#begin(d)
    else if (kind === op.heartbeat) this.#beat()
    else if (kind === op.acknowledged) this.#isAcknowledged = true
    else if (kind === op.reconnect) this.#drop('the gateway asked to connect anew')
    else if (kind === op.invalidSession)
      this.#drop('the gateway ended the session', d === true ? 'resume' : 'identify')
  }

  #begin(hello: unknown): void {
    const known = wireHello.safeParse(hello)
    if (!known.success) return void this.#drop('the gateway said a hello without heartbeats')
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

  /** A peer that left a heartbeat without an answer is gone, even if nothing else says so. */
  #beatOrDrop(): void {
    if (this.#isAcknowledged) this.#beat()
    else this.#drop('the gateway left a heartbeat without an answer')
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
    // 1006 is nobody's code: the connection broke.
    const isClose = code !== 1006 && code !== 1005
    const why = isClose
      ? `the gateway closed with ${code}${reason ? ` (${reason})` : ''}`
      : 'the connection broke'
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

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

/** What to do after a close; a connection that broke without one is resumed. */
function stepAfter(code: number): NextStep {
  if (code in fatalCodes) return 'never'
  return endedSessions.has(code) ? 'identify' : 'resume'
}
