import test from 'ava'
import type { FastifyRequest } from 'fastify'
import { askSelf, clientOf } from '../../../../../src/daemon/platform/daemon/ask-self.js'
import { callOver } from '../../../../../src/mcp/call-over.js'
import { bareApp } from '../../../../helpers/bare-app.js'

const request = {
  headers: {
    authorization: 'Bearer x',
    'x-service-agent-id': 'ann',
    'x-service-actor': 'somebody',
    'content-length': '999',
    cookie: 'c=1',
  },
  socket: { remoteAddress: '203.0.113.7' },
} as unknown as FastifyRequest

test('the daemon calls itself with the credential, agent and peer address of its caller', async t => {
  const app = bareApp()
  t.teardown(() => app.close())
  app.post('/echo', async ({ headers, socket, body }) => ({ headers, peer: socket.remoteAddress, body }))
  const ask = askSelf(app, clientOf(request))
  const { status, text } = await ask({ method: 'POST', path: '/echo', body: '{"a":1}' })
  const { headers, peer, body } = JSON.parse(text)
  t.is(status, 200)
  t.is(peer, '203.0.113.7')
  t.deepEqual(body, { a: 1 })
  t.like(headers, {
    authorization: 'Bearer x',
    'x-service-agent-id': 'ann',
    'x-service-actor': 'somebody',
    'content-length': '7',
  })
  t.is(headers.cookie, undefined)
})

test('a caller without a socket is not treated as this machine', t => {
  t.is(clientOf({ headers: {}, socket: {} } as FastifyRequest).peer, '0.0.0.0')
})

test('a tool call has the identity of its caller and the headers of the MCP server', async t => {
  const app = bareApp()
  t.teardown(() => app.close())
  app.get('/health', async ({ headers }) => ({ headers }))
  const call = callOver(askSelf(app, clientOf(request)))
  const { headers } = (await call('GET /health')) as never as { headers: Record<string, string> }
  t.like(headers, {
    authorization: 'Bearer x',
    'x-service-agent-id': 'ann',
    'x-service-actor': 'mcp-server',
    'x-service-actor-type': 'harness',
    'x-service-runtime-path': 'plugin',
  })
})
