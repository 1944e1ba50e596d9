import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import { Gateway } from './gateway.js'
import { type Answer, answerTo } from './rest-routes.js'
import { World } from './world.js'

export interface DiscordRequest {
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  /** Status of the answer. */
  status: number
}

/** Replaces the world's answer, once or as long as it is registered. */
export type Override = (request: {
  path: string
  query: URLSearchParams
}) => (Answer & { headers?: Record<string, string>; raw?: string }) | 'hang up' | undefined

export interface DiscordOptions {
  token?: string
  /** Requests allowed for one route in a window, as the API counts them. */
  limit?: { requests: number; windowMs: number }
}

/** Discord on this machine: its API, files and gateway, as far as a bot reads them. Stops with the test. */
export interface DiscordFake {
  /** For `sources.chatguild.apiBaseUrl`. */
  apiBaseUrl: string
  token: string
  world: World
  gateway: Gateway
  requests: DiscordRequest[]
  /** Tried first, newest first; returning undefined passes the request on. */
  overrides: Override[]
  /** Number of requests for a path. */
  count(path: string): number
  /** Serves a file. @returns its URL */
  file(name: string, bytes: string | Buffer): string
}

/** Starts a faithful fake of Discord's API v10 and its gateway. */
export async function startDiscord(
  t: ExecutionContext,
  { token = 'MTk4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs', limit }: DiscordOptions = {},
): Promise<DiscordFake> {
  const world = new World()
  const requests: DiscordRequest[] = []
  const overrides: Override[] = []
  const windows = new Windows(limit)
  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '', 'http://x')
    const path = url.pathname.replace(/^\/api\/v10/u, '')
    const request = { path, query: url.searchParams, headers: incoming.headers, status: 0 }
    requests.push(request)
    const other = overrides.map(override => override(request)).find(answer => answer !== undefined)
    if (other === 'hang up') return void response.socket?.destroy()
    if (path.startsWith('/files/')) return sendFile(world, path, response)
    const limits = windows.take(path)
    const answer = other ?? limits.refusal ?? answerFor(incoming, request, world, gateway, token)
    request.status = answer.status
    const headers = { 'content-type': 'application/json', ...limits.headers, ...headersOf(answer) }
    response.writeHead(answer.status, headers).end(rawOf(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const gateway = new Gateway(server, { token, url: `${origin.replace('http', 'ws')}/gateway` })
  t.teardown(() => {
    gateway.close()
    server.closeAllConnections()
    server.close()
  })
  return {
    apiBaseUrl: `${origin}/api/v10`,
    token,
    world,
    gateway,
    requests,
    overrides,
    count: path => requests.filter(request => request.path === path).length,
    file: (name, bytes) => {
      world.files.set(`/files/${name}`, Buffer.from(bytes as string))
      return `${origin}/files/${name}`
    },
  }
}

function answerFor(
  { headers }: IncomingMessage,
  { path, query }: Pick<DiscordRequest, 'path' | 'query'>,
  world: World,
  gateway: Gateway,
  token: string,
): Answer {
  if (headers.authorization !== `Bot ${token}`)
    return { status: 401, body: { message: '401: Unauthorized', code: 0 } }
  if (path === '/gateway/bot') return { status: 200, body: gateway.address() }
  return answerTo(world, path, query)
}

function sendFile(world: World, path: string, response: ServerResponse): void {
  const bytes = world.files.get(path)
  if (bytes) response.writeHead(200).end(bytes)
  else response.writeHead(404).end('This content is no longer available.')
}

function headersOf(answer: object): Record<string, string> {
  return 'headers' in answer ? (answer.headers as Record<string, string>) : {}
}

function rawOf(answer: Answer): string {
  return 'raw' in answer ? String(answer.raw) : JSON.stringify(answer.body)
}

/** Counts requests of each route in separate windows, and refuses those over the limit. */
class Windows {
  readonly #open = new Map<string, { used: number; endsAt: number }>()

  constructor(readonly limit: DiscordOptions['limit']) {}

  take(path: string): { headers: Record<string, string>; refusal?: Answer } {
    if (!this.limit) return { headers: {} }
    const route = path.replace(/(?<=\/messages\/)\d+/u, ':id')
    const now = performance.now()
    const known = this.#open.get(route)
    const window = known && known.endsAt > now ? known : { used: 0, endsAt: now + this.limit.windowMs }
    this.#open.set(route, window)
    window.used++
    const seconds = ((window.endsAt - now) / 1000).toFixed(3)
    const remaining = Math.max(0, this.limit.requests - window.used)
    const headers = {
      'x-ratelimit-bucket': `bucket-${route.replace(/\d+/gu, 'n')}`,
      'x-ratelimit-limit': String(this.limit.requests),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset-after': seconds,
    }
    if (window.used <= this.limit.requests) return { headers }
    const body = { message: 'You are being rate limited.', retry_after: Number(seconds), global: false }
    return { headers: { ...headers, 'retry-after': seconds }, refusal: { status: 429, body } }
  }
}
