import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { ExecutionContext } from 'ava'

export interface TcpProxy {
  /** The URL of the server, through the proxy. */
  url: string
  /** Ends every connection, and refuses new ones. */
  cut(): void
  /** Ends every connection; new ones are served. */
  drop(): void
  /** Passes nothing on, not even the end of a connection: as a cable that was pulled. */
  stop(): void
  /**
   * Passes nothing on for the connections alone whose client has ever sent this text. @returns how many hang
   */
  hang(text: string): number
  /** Serves new connections; the server never hears again of those that were stopped. */
  forget(): void
  /**
   * Ends each connection once the client has sent a message that contains this text.
   * @param lasts then refuses new ones too
   */
  cutAfter(text: string, lasts?: 'lasts'): void
  /** Ends each connection instead of passing on a message that contains this text. */
  cutBefore(text: string): void
  /** Calls a function once, before a message of the client with this text is passed on. */
  once(text: string, act: () => void): void
  /** How often clients sent something once they had an answer, since the last call. */
  trips(): number
  /** Serves again, at once. */
  mend(): void
}

type Text = string | undefined
type Act = { text: string; run: () => void }
/** Statements have their texts at first, and then a name. */
const mostText = 1_000_000

interface Passed {
  /** The beginning of all that the client sent. */
  text: string
  hangs: boolean
}
const unset = () => ({
  cutAfter: undefined as Text,
  cutBefore: undefined as Text,
  lasts: false,
})

/** Forwards connections to a server, with faults. */
export async function startProxy(t: Pick<ExecutionContext, 'teardown'>, url: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(url)
  const open = new Set<Socket>()
  const state = { isCut: false, isStopped: false, ...unset(), act: undefined as Act | undefined }
  const waiting: (() => void)[] = []
  const connections = new Set<Passed>()
  const trips = { count: 0, isAnswered: true }
  const count = (isAnswer: boolean): void => {
    if (!isAnswer && trips.isAnswered) trips.count++
    trips.isAnswered = isAnswer
  }
  const pass = (from: Socket, to: Socket, bytes: Buffer, own: Passed): void => {
    if (own.hangs) return
    const has = (text: string | undefined): boolean => text !== undefined && bytes.includes(text)
    const send = (): void => {
      const { act } = state
      if (act && has(act.text)) {
        state.act = undefined
        act.run()
      }
      if (has(state.cutBefore)) return void from.destroy()
      if (!to.destroyed) to.write(bytes)
      if (!has(state.cutAfter)) return
      if (state.lasts) state.isCut = true
      from.destroy()
    }
    if (state.isStopped) waiting.push(send)
    else send()
  }
  const server = createServer(socket => {
    if (state.isCut) return void socket.destroy()
    const other = connect(Number(port), hostname)
    const own: Passed = { text: '', hangs: false }
    connections.add(own)
    for (const [one, next] of [
      [socket, other],
      [other, socket],
    ] as const) {
      open.add(one)
      one.on('data', bytes => {
        count(one === other)
        if (one === socket && own.text.length < mostText) own.text += bytes.toString('latin1')
        pass(one, next, bytes, own)
      })
      one.on('error', () => undefined)
      one.on('close', () => {
        open.delete(one)
        connections.delete(own)
        if (!state.isStopped && !own.hangs) next.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port)
  const drop = (): void => {
    for (const socket of open) socket.destroy()
  }
  const hang = (text: string): number => {
    const chosen = [...connections].filter(own => own.text.includes(text))
    for (const own of chosen) own.hangs = true
    return chosen.length
  }
  const cut = (): void => {
    state.isCut = true
    drop()
  }
  t.teardown(() => {
    cut()
    server.close()
  })
  return {
    ...{ url: through.href, cut, drop },
    stop: () => {
      state.isStopped = true
    },
    hang,
    forget: () => {
      // A connection that lost bytes alone would give answers to the wrong statements.
      hang('')
      waiting.length = 0
      state.isStopped = false
    },
    cutAfter: (text, lasts) => {
      Object.assign(state, { cutAfter: text, lasts: lasts !== undefined })
    },
    cutBefore: text => {
      state.cutBefore = text
    },
    once: (text, run) => {
      state.act = { text, run }
    },
    trips: () => {
      const { count } = trips
      trips.count = 0
      return count
    },
    mend: () => {
      Object.assign(state, { isCut: false, isStopped: false, ...unset() })
      for (const send of waiting.splice(0)) send()
    },
  }
}
