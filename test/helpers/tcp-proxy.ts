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
  /** Passes nothing on, without an end of any connection: as a cable that was pulled. */
  stop(): void
  /** Passes everything on that much later. */
  delay(ms: number): void
  /** Ends each connection once the client has sent a message that contains this text. */
  cutAfter(text: string): void
  /** Serves again, at once. */
  mend(): void
}

/** Forwards connections to a server, with faults. */
export async function startProxy(t: Pick<ExecutionContext, 'teardown'>, url: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(url)
  const open = new Set<Socket>()
  const state = { isCut: false, isStopped: false, delayMs: 0, cutAfter: undefined as string | undefined }
  const waiting: (() => void)[] = []
  const pass = (from: Socket, to: Socket, bytes: Buffer): void => {
    const send = (): void => {
      if (!to.destroyed) to.write(bytes)
      const isDue = state.cutAfter !== undefined && bytes.includes(state.cutAfter)
      if (isDue) from.destroy()
    }
    if (state.isStopped) waiting.push(send)
    else if (state.delayMs > 0) setTimeout(send, state.delayMs)
    else send()
  }
  const server = createServer(socket => {
    if (state.isCut) return void socket.destroy()
    const other = connect(Number(port), hostname)
    for (const [one, next] of [
      [socket, other],
      [other, socket],
    ] as const) {
      open.add(one)
      one.on('data', bytes => pass(one, next, bytes))
      one.on('error', () => undefined)
      one.on('close', () => {
        open.delete(one)
        next.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port)
  const drop = (): void => {
    for (const socket of open) socket.destroy()
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
    delay: ms => {
      state.delayMs = ms
    },
    cutAfter: text => {
      state.cutAfter = text
    },
    mend: () => {
      Object.assign(state, { isCut: false, isStopped: false, delayMs: 0, cutAfter: undefined })
      for (const send of waiting.splice(0)) send()
    },
  }
}
