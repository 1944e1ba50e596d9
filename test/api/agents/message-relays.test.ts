import type { ServerResponse } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import { messages } from '../../../src/daemon/agents/domains.js'
import { deferred } from '../../../src/lib/concurrency/deferred.js'
import { startDaemon, type TestDaemon, type TestDaemonOptions } from '../../helpers/daemon.js'
import { type FakeRequest, sendJson, startHttpFake } from '../../helpers/embedding-fakes.js'
import { openRaw } from '../../helpers/store.js'

const settings = { messages: { allowPrivateHosts: true } }

const relay = ({ call }: TestDaemon, url: string, fields: object = {}) =>
  call('POST /api/cross-agent/messages', {
    body: { content: 'hello', via: 'acp', acp_base_url: url, acp_target_agent_name: 'scribe', ...fields },
  })

const retry = ({ call }: TestDaemon, messageId: string) =>
  call('POST /api/cross-agent/messages/:messageId/retry', { params: { messageId } })

/** Starts a daemon and a protocol server that answers each run as the test decides. */
async function startWithServer(
  t: ExecutionContext,
  answer: (response: ServerResponse, request: FakeRequest, nth: number) => void,
  options: TestDaemonOptions = { settings },
) {
  let asked = 0
  const server = await startHttpFake(t, (request, response) => answer(response, request, ++asked))
  return { server, daemon: await startDaemon(t, options) }
}

const run = (status: string, more: object = {}) => ({
  run_id: 'r1',
  agent_name: 'scribe',
  session_id: 's',
  output: [],
  created_at: '2026-01-01T00:00:00Z',
  status,
  ...more,
})

test('a relay posts one run below the base address, with its id as the idempotency key (messages.md#relays)', async t => {
  const { server, daemon } = await startWithServer(t, response => sendJson(response, 200, run('completed')))
  const { status, body } = await relay(daemon, `${server.url}/acp/v1/`)
  t.is(status, 201)
  t.like(body, { via: 'acp', deliveryStatus: 'delivered', deliveryState: 'delivered', toAgentId: null })
  t.deepEqual(body.relay, {
    baseUrl: `${server.url}/acp/v1/`,
    targetAgentName: 'scribe',
    attempts: 1,
    receipt: { runId: 'r1', status: 'completed', httpStatus: 200 },
    error: null,
  })
  const [request] = server.requests
  t.is(request?.method, 'POST')
  t.is(request?.path, '/acp/v1/runs')
  t.is(request?.headers['idempotency-key'], body.id)
  t.deepEqual(JSON.parse(request?.body ?? ''), {
    agent_name: 'scribe',
    mode: 'sync',
    input: [{ role: 'user', parts: [{ content_type: 'text/plain', content: 'hello' }] }],
  })
  const inbox = async (query: object) =>
    (await daemon.call('GET /api/cross-agent/messages', { query: query as never })).body.items
  t.deepEqual(await inbox({ include_sent: 'true' }), [body])
  t.deepEqual(await inbox({}), [], 'no local inbox receives it')
})

test('the remote server’s reply decides the state of a relay (messages.md 3.5)', async t => {
  const endless = 'a reply without an end'
  const silent = 'a server that takes the message and says nothing'
  const answers: [string, (response: ServerResponse) => void, string, RegExp | null][] = [
    [
      'a run that failed there arrived',
      r => sendJson(r, 200, run('failed', { error: {} })),
      'delivered',
      null,
    ],
    ['a run that waits arrived', r => sendJson(r, 202, run('in-progress')), 'delivered', null],
    [
      'a refusal',
      r => sendJson(r, 404, { code: 'not_found', message: 'no agent\nscribe' }),
      'failed',
      /answered 404: not_found, no agent scribe$/,
    ],
    ['a refusal in other words', r => void r.writeHead(422).end('<html>'), 'failed', /answered 422$/],
    [
      'a redirect',
      r => void r.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
      'failed',
      /redirects/,
    ],
    ['a server error', r => sendJson(r, 503, {}), 'indeterminate', /answered 503/],
    ['nonsense', r => void r.end('<html>'), 'indeterminate', /did not return JSON/],
    ['JSON without a run', r => sendJson(r, 200, { ok: true }), 'indeterminate', /did not answer with a run/],
    ['a broken connection', r => void r.destroy(), 'indeterminate', /./],
    [endless, r => void r.writeHead(200).write('{'), 'indeterminate', /./],
    [silent, () => undefined, 'indeterminate', /./],
    [
      'too much',
      r => sendJson(r, 200, { pad: 'x'.repeat(2_000_000) }),
      'indeterminate',
      /more than 1048576 bytes/,
    ],
  ]
  const { server, daemon } = await startWithServer(t, (response, _request, nth) =>
    answers[nth - 1]?.[1](response),
  )
  for (const [what, , state, error] of answers) {
    const { status, body } = await relay(
      daemon,
      server.url,
      [endless, silent].includes(what) ? { acp_timeout_ms: 1000 } : {},
    )
    t.is(status, 201, what)
    t.is(body.deliveryState, state as never, what)
    if (error) t.regex(body.relay?.error ?? '', error, what)
    else t.is(body.relay?.error ?? null, null, what)
  }
})

test('an indeterminate relay can be retried by hand twice, with the same key, and then no more (messages.md 3.5)', async t => {
  const { server, daemon } = await startWithServer(t, response => sendJson(response, 500, {}))
  const { body: sent } = await relay(daemon, server.url)
  for (const attempts of [2, 3]) {
    const { status, body } = await retry(daemon, sent.id)
    t.is(status, 200)
    t.like(body, { deliveryState: 'indeterminate', relay: { attempts } })
  }
  const { status, body } = await retry(daemon, sent.id)
  t.is(status, 409)
  t.regex(body.error ?? '', /3 times and has no retries left/)
  t.deepEqual(new Set(server.requests.map(({ headers }) => headers['idempotency-key'])), new Set([sent.id]))
  t.is(server.requests.length, 3)
})

test('a successful retry ends the relay; delivered, local and foreign messages are not retried (messages.md 3.5)', async t => {
  const { server, daemon } = await startWithServer(t, (response, _request, nth) =>
    sendJson(response, nth === 1 ? 500 : 200, run('completed')),
  )
  const { body: sent } = await relay(daemon, server.url)
  t.is((await retry(daemon, sent.id)).body.deliveryState, 'delivered')
  t.is((await retry(daemon, sent.id)).status, 409)
  const { body: local } = await daemon.call('POST /api/cross-agent/messages', {
    body: { content: 'here', to_agent_id: 'ben' },
  })
  t.is((await retry(daemon, local.id)).status, 409)
  const { body: others } = await relay(daemon, server.url, { from_agent_id: 'ada' })
  t.is((await retry(daemon, others.id)).status, 404)
  t.is((await retry(daemon, 'nothing')).status, 404)
})

test('a relay that a kill interrupted is indeterminate at the next start (messages.md 3.5)', async t => {
  const { server, daemon } = await startWithServer(t, response => sendJson(response, 500, {}))
  const { body: sent } = await relay(daemon, server.url)
  await daemon.stop()
  const raw = openRaw(t, daemon.paths.database)
  raw.prepare(`UPDATE agent_message_relays SET state = 'in_flight'`).run()
  raw.close()
  const again = await startDaemon(t, { settings, workspace: daemon.paths.root })
  const { body } = await again.call('GET /api/cross-agent/messages', { query: { include_sent: 'true' } })
  t.like(body.items[0], { id: sent.id, deliveryState: 'indeterminate' })
  t.regex(body.items[0]?.relay?.error ?? '', /daemon stopped/)
  t.is(server.requests.length, 1, 'nothing is resent automatically')
})

test('recovery after a start or a full disk does not touch running relays (messages.md 3.5)', async t => {
  const arrived = deferred<ServerResponse>()
  const { server, daemon } = await startWithServer(t, response => arrived.resolve(response))
  const sending = relay(daemon, server.url)
  const response = await arrived.promise
  await messages.recover?.(daemon.daemon)
  const { body } = await daemon.call('GET /api/cross-agent/messages', { query: { include_sent: 'true' } })
  t.is(body.items[0]?.deliveryState, 'in_flight')
  sendJson(response, 200, run('completed'))
  t.is((await sending).body.deliveryState, 'delivered')
})

test('relays to this machine and to private networks need a setting (messages.md#relays)', async t => {
  const { server, daemon } = await startWithServer(
    t,
    response => sendJson(response, 200, run('completed')),
    {},
  )
  for (const url of [server.url, server.url.replace('127.0.0.1', 'localhost'), 'http://169.254.169.254/']) {
    const { body } = await relay(daemon, url)
    t.is(body.deliveryState, 'failed', url)
    t.regex(body.relay?.error ?? '', /messages\.allowPrivateHosts/, url)
  }
  t.is(server.requests.length, 0)
})
