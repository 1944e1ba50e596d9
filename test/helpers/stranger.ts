import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'

export interface Received {
  method: string | undefined
  url: string | undefined
  headers: IncomingHttpHeaders
  body: string
}

/** Starts a foreign program that answers like a daemon of the workspace, except for the proof. */
export async function startStranger(
  t: ExecutionContext,
  workspace: string,
): Promise<{ port: number; received: Received[] }> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request
    const body = Buffer.concat(await request.toArray()).toString()
    received.push({ method, url, headers, body })
    response.setHeader('x-request-id', 'stranger')
    response.setHeader('x-service-proof', '0'.repeat(64))
    response.setHeader('content-type', 'application/json')
    const health = { status: 'healthy', version: '0.1.0', pid: process.pid, uptime: 1, port, workspace }
    response.end(JSON.stringify({ ...health, ready: true, inject: 'STRANGER', results: [], memories: [] }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port, received }
}
