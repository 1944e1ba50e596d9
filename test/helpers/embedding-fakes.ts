import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExecutionContext } from 'ava'
import { embeddingSettings } from '../../src/contract/settings.js'
import { createEmbedder, type EmbedderOptions } from '../../src/store/embedding/create-embedder.js'
import type { Embedder, EmbedderStatus } from '../../src/store/embedding/embedder.js'
import type { Scope } from './daemon-process.js'

export const tinyModelFolder = fileURLToPath(new URL('../fixtures/tiny-model', import.meta.url))

export interface FakeRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

export interface HttpFake {
  url: string
  /** Requests received so far. */
  requests: FakeRequest[]
}

export type FakeHandler = (request: FakeRequest, response: ServerResponse) => void

/** Starts an HTTP server on a free port; it closes with the test even while a request is open. */
export async function startHttpFake(t: Scope, handler: FakeHandler): Promise<HttpFake> {
  const requests: FakeRequest[] = []
  // An idle connection is closed after 5 seconds by default, while a slow client may just use it.
  const server = createServer({ keepAliveTimeout: 0 }, async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { method = '', url = '', headers } = incoming
    const request = { method, path: url, headers, body: Buffer.concat(chunks).toString() }
    requests.push(request)
    handler(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** A vector that depends only on the text; not of unit length. */
export function fakeVector(text: string, dimensions: number): number[] {
  const bytes = createHash('sha256').update(text).digest()
  return Array.from({ length: dimensions }, (_, index) => bytes[index % bytes.length]! - 127.5)
}

/** Answers like OpenAI's `/embeddings`, in reverse order: clients must sort by `index`. */
export function openaiReply(request: FakeRequest, dimensions: number) {
  const { input } = JSON.parse(request.body) as { input: string[] }
  const data = input.map((text, index) => ({ index, embedding: fakeVector(text, dimensions) }))
  return { object: 'list', data: data.reverse() }
}

/**
 * Answers like OpenAI's `/embeddings` with letter counts, so that texts with the same letters are near each
 * other.
 */
export function letterCountReply(request: FakeRequest) {
  const { input } = JSON.parse(request.body) as { input: string[] }
  const counts = (text: string) =>
    Array.from('abcdefghijklmnopqrstuvwxyz', letter => text.toLowerCase().split(letter).length - 1)
  return { object: 'list', data: input.map((text, index) => ({ index, embedding: counts(text) })) }
}

/** Answers like Ollama's `/api/embed`. */
export function ollamaReply(request: FakeRequest, dimensions: number) {
  const { input } = JSON.parse(request.body) as { input: string[] }
  return { embeddings: input.map(text => fakeVector(text, dimensions)) }
}

export interface HubOptions {
  /** True cuts this download in the middle. */
  truncate?: (path: string) => boolean
  /** Another status than 200. */
  fail?: (path: string) => number | undefined
  /** True sends the start of the file and then nothing more. */
  stall?: (path: string) => boolean
  /** Replaces the bytes of the weights but not their checksum. */
  corrupt?: () => boolean
}

/**
 * A model hub with the tiny model: small files directly, and the weights through a redirect with size and
 * checksum.
 */
export async function startHubFake(
  t: ExecutionContext,
  model: string,
  options: HubOptions = {},
): Promise<HttpFake> {
  return startHttpFake(t, async (request, response) => {
    const file = request.path.replace(`/${model}/`, '').replace(/^resolve\/\w+\/|^\/cdn\//u, '')
    const status = options.fail?.(file)
    const content = await readFile(join(tinyModelFolder, file)).catch(() => undefined)
    if (status || !content) return void response.writeHead(status ?? 404).end('Entry not found')
    const checksum = createHash('sha256').update(content).digest('hex')
    if (file.endsWith('.onnx') && !request.path.startsWith('/cdn/')) {
      const linked = { 'x-linked-size': content.length, 'x-linked-etag': `"${checksum}"` }
      return void response.writeHead(302, { location: `/cdn/${file}`, ...linked }).end()
    }
    sendFile(request, response, options.corrupt?.() ? Buffer.alloc(content.length) : content, {
      etag: `"${checksum}"`,
      truncate: options.truncate?.(file) ?? false,
      stall: options.stall?.(file) ?? false,
    })
  })
}

interface FileReply {
  etag: string
  truncate: boolean
  stall: boolean
}

function sendFile(request: FakeRequest, response: ServerResponse, content: Buffer, reply: FileReply): void {
  const range = request.headers['if-range'] === reply.etag ? request.headers.range : undefined
  const start = Number(/bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0)
  if (range && start >= content.length) return void response.writeHead(416).end()
  const rest = content.subarray(start)
  response.writeHead(range ? 206 : 200, { 'content-length': rest.length, etag: reply.etag })
  if (request.method === 'HEAD') return void response.end()
  if (!reply.truncate && !reply.stall) return void response.end(rest)
  response.write(rest.subarray(0, rest.length >> 1), () => {
    if (reply.truncate) response.destroy()
  })
}

export interface TestEmbedderOptions extends Partial<Omit<EmbedderOptions, 'settings'>> {
  settings?: Record<string, unknown>
}

/** Opens an embedder that is closed after the test; it downloads nothing by default. */
export function openEmbedder(t: ExecutionContext, { settings, ...options }: TestEmbedderOptions): Embedder {
  const embedder = createEmbedder({
    modelsDir: join(tmpdir(), 'no models here'),
    runtimeDir: join(tmpdir(), 'no runtime here'),
    allowDownload: false,
    resolveSecret: () => Promise.reject(new Error('no secrets here')),
    ...options,
    settings: embeddingSettings.parse(settings ?? {}),
  })
  t.teardown(() => embedder.close())
  return embedder
}

/** Resolves with the first matching status, including the current one. */
export function whenStatus(
  embedder: Embedder,
  fits: (status: EmbedderStatus) => boolean,
): Promise<EmbedderStatus> {
  return new Promise(resolve => {
    const check = (status: EmbedderStatus) => {
      if (!fits(status)) return
      unsubscribe()
      resolve(status)
    }
    const unsubscribe = embedder.onChange(check)
    check(embedder.status())
  })
}

/** Polls for a condition that has no event. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 2))
}

export function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * b[index]!, 0)
}

/** A clock that only moves when the test advances it. */
export function manualClock(start = Date.parse('2026-01-01T00:00:00Z')) {
  let timeMs = start
  return {
    clock: () => new Date(timeMs),
    advance(ms: number) {
      timeMs += ms
    },
  }
}
