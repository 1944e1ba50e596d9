import test from 'ava'
import fastify, { type FastifyRequest } from 'fastify'
import { askSelf } from '../../../../src/daemon/mcp/ask-self.js'

test('a tool asks as its caller: credential, agent and peer address, with the headers of the MCP server', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  app.get('/health', async ({ headers, socket }) => ({ headers, peer: socket.remoteAddress }))
  const request = {
    headers: {
      authorization: 'Bearer x',
      'x-service-agent-id': 'ann',
      'x-service-actor': 'somebody',
      'content-length': '999',
      cookie: 'c=1',
    },
    socket: { remoteAddress: '203.0.113.7' },
  }
  const call = askSelf(app, request as unknown as FastifyRequest)
  const { headers, peer } = (await call('GET /health')) as never as {
    headers: Record<string, string>
    peer: string
  }
  t.is(peer, '203.0.113.7')
  t.like(headers, {
    authorization: 'Bearer x',
    'x-service-agent-id': 'ann',
    'x-service-actor': 'mcp-server',
    'x-service-actor-type': 'harness',
    'x-service-runtime-path': 'plugin',
  })
  t.is(headers.cookie, undefined)
  t.is(headers['content-length'], undefined)
})
