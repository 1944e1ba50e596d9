import type { Server } from 'node:http'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'

interface Session {
  id: string
  sequence: number
  /** Sent events, for clients that resume. */
  events: { s: number; t: string; d: unknown }[]
  socket: WebSocket | undefined
}

/**
 * A gateway that follows Discord's public documentation: hello, identify, heartbeats, resume, invalid
 * sessions, closes.
 */
export class Gateway {
  heartbeatIntervalMs = 40_000
  /** When false, heartbeats get no answer, as on a dead connection. */
  answersHeartbeats = true
  /** Closes an identify with this code. */
  refusesWith: number | undefined
  /** Answers a resume with op 9. */
  forgetsSessions = false
  sessionStarts = { remaining: 1000, reset_after: 0 }
  readonly identifies: { token: string; intents: number }[] = []
  readonly resumes: { session_id: string; seq: number }[] = []
  readonly heartbeats: (number | null)[] = []
  /** Close codes that clients sent. */
  readonly clientCloses: number[] = []
  readonly #server: WebSocketServer
  readonly #sessions = new Map<string, Session>()
  readonly #url: string
  readonly #token: string
  #made = 0

  constructor(server: Server, { url, token }: { url: string; token: string }) {
    this.#url = url
    this.#token = token
    this.#server = new WebSocketServer({ server, path: '/gateway' })
    this.#server.on('connection', socket => this.#serve(socket))
  }

  /** Body of GET /gateway/bot. */
  address(): object {
    const starts = { total: 1000, max_concurrency: 1, ...this.sessionStarts }
    return { url: this.#url, shards: 1, session_start_limit: starts }
  }

  /** Number of clients connected with a session. */
  connected(): number {
    return [...this.#sessions.values()].filter(({ socket }) => socket !== undefined).length
  }

  /** Sends an event to every session, including disconnected ones. */
  dispatch(t: string, d: unknown): void {
    for (const session of this.#sessions.values()) this.#tell(session, t, d)
  }

  /** Op 7: asks clients to reconnect. */
  askToReconnect(): void {
    for (const { socket } of this.#sessions.values()) send(socket, { op: 7, d: null })
  }

  /** Op 9. */
  invalidate(isResumable: boolean): void {
    for (const session of this.#sessions.values()) {
      send(session.socket, { op: 9, d: isResumable })
      if (!isResumable) this.#sessions.delete(session.id)
    }
  }

  /** Op 1: asks for a heartbeat at once. */
  askForHeartbeat(): void {
    for (const { socket } of this.#sessions.values()) send(socket, { op: 1, d: null })
  }

  closeAll(code: number): void {
    for (const session of this.#sessions.values()) {
      session.socket?.close(code)
      session.socket = undefined
    }
  }

  /** Cuts connections without a close. */
  cut(): void {
    for (const session of this.#sessions.values()) {
      session.socket?.terminate()
      session.socket = undefined
    }
  }

  close(): void {
    for (const client of this.#server.clients) client.terminate()
    this.#server.close()
  }

  #serve(socket: WebSocket): void {
    send(socket, { op: 10, d: { heartbeat_interval: this.heartbeatIntervalMs } })
    socket.on('message', data => this.#hear(socket, data))
    socket.on('close', code => {
      if (code !== 1006) this.clientCloses.push(code)
      for (const session of this.#sessions.values()) if (session.socket === socket) session.socket = undefined
    })
  }

  #hear(socket: WebSocket, data: RawData): void {
    const { op, d } = JSON.parse(String(data)) as { op: number; d: never }
    if (op === 1) {
      this.heartbeats.push(d)
      if (this.answersHeartbeats) send(socket, { op: 11 })
    } else if (op === 2) this.#identify(socket, d)
    else if (op === 6) this.#resume(socket, d)
    else socket.close(4001)
  }

  #identify(socket: WebSocket, { token, intents }: { token: string; intents: number }): void {
    this.identifies.push({ token, intents })
    if (this.refusesWith !== undefined) return void socket.close(this.refusesWith)
    if (token !== this.#token) return void socket.close(4004)
    const session: Session = { id: `session-${++this.#made}`, sequence: 0, events: [], socket }
    this.#sessions.set(session.id, session)
    this.#tell(session, 'READY', {
      v: 10,
      session_id: session.id,
      resume_gateway_url: this.#url,
      guilds: [],
    })
  }

  #resume(
    socket: WebSocket,
    { token, session_id, seq }: { token: string; session_id: string; seq: number },
  ): void {
    this.resumes.push({ session_id, seq })
    if (token !== this.#token) return void socket.close(4004)
    const session = this.#sessions.get(session_id)
    if (!session || this.forgetsSessions) return void send(socket, { op: 9, d: false })
    session.socket = socket
    for (const { s, t, d } of session.events) if (s > seq) send(socket, { op: 0, s, t, d })
    this.#tell(session, 'RESUMED', {})
  }

  #tell(session: Session, t: string, d: unknown): void {
    const event = { s: ++session.sequence, t, d }
    session.events.push(event)
    send(session.socket, { op: 0, ...event })
  }
}

function send(socket: WebSocket | undefined, frame: object): void {
  socket?.send(JSON.stringify(frame))
}
