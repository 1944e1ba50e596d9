import { request as httpRequest, type IncomingMessage } from 'node:http'
import { ClientError } from './client-error.js'

/** Where a daemon answers. `https` only with SERVICE_DAEMON_URL. */
export interface Origin {
  protocol: 'http:' | 'https:'
  host: string
  port: number
}

export interface HttpRequest {
  method: string
  /** Path with query. */
  path: string
  headers?: Record<string, string>
  body?: string
  timeoutMs: number
}

export interface HttpReply {
  status: number
  headers: IncomingMessage['headers']
  text: string
}

export function formatOrigin({ protocol, host, port }: Origin): string {
  return `${protocol}//${host.includes(':') ? `[${host}]` : host}:${port}`
}

/**
 * One HTTP exchange on a connection of its own, without fetch or undici: both cost more to load than the call
 * takes. The time limit covers everything from connecting to the last byte.
 * @throws ClientError `timeout`; otherwise node's own error (`ECONNREFUSED` and so on).
 */
export async function exchange(origin: Origin, request: HttpRequest): Promise<HttpReply> {
  const send = origin.protocol === 'https:' ? (await import('node:https')).request : httpRequest
  return new Promise((resolve, reject) => {
    const { method, path, body, timeoutMs } = request
    const headers = { ...request.headers, ...(body !== undefined && lengthOf(body)) }
    const outgoing = send({ host: origin.host, port: origin.port, method, path, headers, agent: false })
    const timer = setTimeout(() => outgoing.destroy(timeoutError(origin, request)), timeoutMs)
    const fail = (error: Error) => {
      clearTimeout(timer)
      reject(error)
    }
    outgoing.on('error', fail)
    outgoing.on('response', response => {
      const chunks: Buffer[] = []
      response.on('error', fail)
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        clearTimeout(timer)
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
      })
    })
    outgoing.end(body)
  })
}

function lengthOf(body: string): Record<string, string> {
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
}

function timeoutError(origin: Origin, { method, path, timeoutMs }: HttpRequest): ClientError {
  return new ClientError(
    `no answer from ${formatOrigin(origin)} to ${method} ${path} within ${timeoutMs / 1000} s`,
    { code: 'timeout', nextSteps: ['memory daemon status', 'memory daemon logs'] },
  )
}
