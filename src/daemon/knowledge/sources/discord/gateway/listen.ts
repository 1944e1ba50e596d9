import type { WebSocket } from 'ws'
import type { GatewaySession } from '../../../../../contract/knowledge/sources/discord.js'
import { wireReady } from '../../../../../contract/knowledge/sources/discord-wire.js'
import type { Timers } from '../../../../../lib/time/timers.js'
import type { Wait } from '../../../../ground/fetch/api-faults.js'
import { type Connection, type ConnectionEnd, fatalCodes, openConnection } from './connection.js'

const identify = 2
const resume = 6
/** Longest delay between two attempts to connect. */
const longestWaitMs = 60_000
/** A connection that lasted this long does not count as a failure. */
const stableMs = 10_000
/** After this many failed attempts the session's resume address is not used any more. */
const sessionAttempts = 3
/** Largest frame: a server with a hundred thousand members is sent as one. */
const maxFrameBytes = 64 * 1024 * 1024

export type GatewayEvent =
  /** A new session: earlier events are not delivered. */
  | { event: 'identified'; session: GatewaySession }
  /** The old session continues: missed events follow. */
  | { event: 'resumed'; session: GatewaySession }
  | { event: 'dispatch'; name: string; data: unknown; session: GatewaySession }
  | { event: 'lost'; why: string }

/** The gateway refuses connections until a person acts. */
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
  /** Returns the address for a new session; waits if too many were started. */
  address(): Promise<string>
  /** True if the address belongs to Discord, because the token is sent there. */
  isTheirs(address: string): boolean
  /** The session of an earlier connection. */
  session: GatewaySession | null
}

/**
 * Yields gateway events until the signal aborts: connects, resumes if possible, otherwise identifies again.
 * Slow consumers lose nothing: events queue up, and surplus ones are sent again when resuming from the last
 * consumed one.
 * @throws GatewayRefusal, the signal's reason, errors of `address`
 */
export async function* listen(options: ListenOptions): AsyncGenerator<GatewayEvent> {
  const { signal, wait, random } = options
  let session = options.session
  /** Attempts in a row that did not continue the session. */
  let unheard = 0
  for (let failures = 0; ; failures++) {
    if (failures > 0) await wait(reconnectDelay(failures, random()), signal)
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
    // After a connection that lasted, reconnect at once; repeated failures must wait.
    if (performance.now() - began > stableMs) failures = end.next === 'identify' ? 0 : -1
    yield { event: 'lost', why: end.why }
  }
}

type SessionEvent = Exclude<GatewayEvent, { event: 'lost' }>

/** Yields the events of one connection, each with the session state to resume after it. */
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

/**
 * One to five seconds at first, as Discord demands after an invalid session; doubled each time, up to a
 * minute.
 */
function reconnectDelay(failures: number, random: number): number {
  return Math.min(longestWaitMs, (1000 + 4000 * random) * 2 ** (failures - 1))
}
