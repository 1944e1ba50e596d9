import type { WebSocket } from 'ws'
import type { GatewaySession } from '../../../../../contract/knowledge/sources/discord-progress.js'
import { wireReady } from '../../../../../contract/knowledge/sources/discord-wire.js'
import type { Timers } from '../../../../../lib/time/timers.js'
import type { Wait } from '../../../../ground/fetch/with-retries.js'
import { type Connection, type ConnectionEnd, fatalCodes, openConnection } from './connection.js'

const identify = 2
const resume = 6
/** Longest wait between two attempts to connect. */
const longestWaitMs = 60_000
/** A connection that lived so long is none of those that fail. */
const heldMs = 10_000
/** After so many attempts in a row the address of the session is not trusted any more. */
const sessionAttempts = 3
/** Largest frame: a server with a hundred thousand members is one. */
const maxFrameBytes = 64 * 1024 * 1024

export type GatewayEvent =
  /** A new session: what happened before it is not told. */
  | { event: 'identified'; session: GatewaySession }
  /** The old session goes on: what happened meanwhile follows. */
  | { event: 'resumed'; session: GatewaySession }
  | { event: 'dispatch'; name: string; data: unknown; session: GatewaySession }
  | { event: 'lost'; why: string }

/** The gateway takes no connection until a person has done something. */
export class GatewayRefusal extends Error {
  constructor(readonly code: number) {
    super(`${fatalCodes[code] ?? 'the gateway refuses the connection'} (${code})`)
    this.name = 'GatewayRefusal'
  }
}

export interface ListenOptions {
  token: string
  intents: number
  signal: AbortSignal
  wait: Wait
  timers: Timers
  random(): number
  /** Where a new session begins; waits where too many were begun. */
  address(): Promise<string>
  /** Whether a session may go on at this address: the token is sent there. */
  isTheirs(address: string): boolean
  /** The session of an earlier connection. */
  session: GatewaySession | null
}

/**
 * Tells the events of the gateway for as long as the signal lets it: connects, resumes where it can, and identifies anew
 * where it must. A consumer that takes long loses nothing: events wait, and what is too much comes again with a resume
 * from the last one that was taken.
 * @throws GatewayRefusal, the signal's reason, what `address` throws
 */
export async function* listen(options: ListenOptions): AsyncGenerator<GatewayEvent> {
  const { signal, wait, random } = options
  let session = options.session
  /** Attempts in a row by which the session did not go on. */
  let unheard = 0
  for (let failures = 0; ; failures++) {
    if (failures > 0) await wait(waitAfter(failures, random()), signal)
    const began = performance.now()
    if (session && (unheard >= sessionAttempts || !options.isTheirs(session.resumeUrl))) session = null
    const url = session?.resumeUrl ?? (await options.address())
    const connection = await connect(options, url, session)
    unheard++
    const stop = (): void => connection.close()
    signal.addEventListener('abort', stop)
    try {
      for await (const event of eventsOf(connection, session)) {
        unheard = 0
        session = event.session
        yield event
      }
    } finally {
      signal.removeEventListener('abort', stop)
      connection.close()
    }
    signal.throwIfAborted()
    const end = connection.end() as ConnectionEnd
    if (end.next === 'never') throw new GatewayRefusal(end.code ?? 0)
    if (end.next === 'identify') session = null
    // After a connection that held the next one is made at once; one that breaks again and again has to wait.
    if (performance.now() - began > heldMs) failures = end.next === 'identify' ? 0 : -1
    yield { event: 'lost', why: end.why }
  }
}

type SessionEvent = Exclude<GatewayEvent, { event: 'lost' }>

/** The events of one connection, each with the session by which it would go on behind it. */
async function* eventsOf(connection: Connection, begun: GatewaySession | null): AsyncGenerator<SessionEvent> {
  let session = begun
  for await (const { t, d, s } of connection.events()) {
    if (t === 'READY') {
      const ready = wireReady.safeParse(d)
      if (!ready.success) return
      session = { id: ready.data.session_id, resumeUrl: ready.data.resume_gateway_url, sequence: s ?? 0 }
      yield { event: 'identified', session }
    } else if (session && t) {
      session = { ...session, sequence: s ?? session.sequence }
      if (t === 'RESUMED') yield { event: 'resumed', session }
      else yield { event: 'dispatch', name: t, data: d, session }
    }
  }
}

async function connect(
  { token, intents, timers, random, signal }: ListenOptions,
  address: string,
  session: GatewaySession | null,
): Promise<Connection> {
  const { WebSocket } = await import('ws')
  signal.throwIfAborted()
  const url = new URL(address)
  url.searchParams.set('v', '10')
  url.searchParams.set('encoding', 'json')
  const socket: WebSocket = new WebSocket(url, {
    handshakeTimeout: 15_000,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    followRedirects: false,
  })
  const properties = { os: process.platform, browser: 'memory-service', device: 'memory-service' }
  return openConnection({
    socket,
    timers,
    random,
    sequence: session?.sequence ?? null,
    greet: () =>
      session
        ? { op: resume, d: { token, session_id: session.id, seq: session.sequence } }
        : { op: identify, d: { token, intents, properties } },
  })
}

/** One to five seconds first, as Discord wants it after an invalid session; then twice as long each time, up to a minute. */
function waitAfter(failures: number, random: number): number {
  return Math.min(longestWaitMs, (1000 + 4000 * random) * 2 ** (failures - 1))
}
