import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Scope } from './daemon-process.js'

/** An answer of a server. */
export interface Answer {
  status: number
  headers?: Record<string, string>
  body?: string | Buffer
}

export interface AskedRequest {
  method: string
  /** With its query, as it was sent. */
  path: string
  headers: IncomingMessage['headers']
  body: Buffer
}

/** A server that keeps files, with the faults that such servers have. */
export interface FakeStore {
  url: string
  /** By key, or path from the root of the server. */
  files: Map<string, Buffer>
  /** Files that lists leave out for now. */
  hidden: Set<string>
  /** Each request so far: `PUT /path`. */
  asked: string[]
  /**
   * Answers in the place of the server. `cut` ends the connection within the answer, `lost` after the work,
   * `dead` before it, and `silent` never answers.
   */
  fault: ((asked: AskedRequest) => Answer | 'cut' | 'lost' | 'dead' | 'silent' | undefined) | undefined
}

/** @param answer the server without faults */
export async function startStore(
  t: Scope,
  answer: (store: FakeStore, asked: AskedRequest) => Answer,
): Promise<FakeStore> {
  const store: FakeStore = { url: '', files: new Map(), hidden: new Set(), asked: [], fault: undefined }
  const server = createServer((request, response) => {
    void buffer(request).then(
      body => {
        const { method = '', url: path = '', headers } = request
        const asked = { method, path, headers, body }
        store.asked.push(`${method} ${path}`)
        const fault = store.fault?.(asked)
        if (fault === 'silent') return
        if (fault === 'dead') return void response.destroy()
        const told = typeof fault === 'object' ? fault : answer(store, asked)
        if (fault === 'lost') response.destroy()
        else send(response, told, fault === 'cut', method === 'HEAD')
      },
      () => undefined,
    )
  })
  // A busy machine may send the next request as the server ends an idle connection.
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  store.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return store
}

function send(
  response: ServerResponse,
  { status, headers, body = '' }: Answer,
  isCut: boolean,
  isHead: boolean,
): void {
  const bytes = Buffer.from(body)
  response.writeHead(status, { 'content-length': String(bytes.length), ...headers })
  if (!isCut) return void response.end(isHead ? undefined : bytes)
  response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
