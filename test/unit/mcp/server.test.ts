import test from 'ava'
import { z } from 'zod'
import { ClientError } from '../../../src/client/http/client-error.js'
import { callOver, toolTimeoutMs } from '../../../src/mcp/call-over.js'
import { runTool } from '../../../src/mcp/server.js'
import { type Call, type Tool, tool } from '../../../src/mcp/tool/tool.js'
import { toolsOf } from '../../../src/mcp/tool-table.js'

const noCall: Call = async () => {
  throw new Error('not called')
}
const toolThat = (run: () => Promise<never>) =>
  tool({
    name: 'probe',
    title: 'Probe',
    description: 'fails in a given way',
    tier: 'extra',
    effect: 'reads',
    input: z.object({ count: z.int().min(1) }),
    output: z.object({}),
    run,
  })

test('wrong arguments are listed one by one', async t => {
  const result = await runTool(
    toolThat(async () => t.fail() as never),
    noCall,
    { count: 'many' },
  )
  t.false(result.ok)
  t.regex(result.text, /- count: .*number/)
})

test('an argument may use the name from replies, unless its own name is given too', async t => {
  const probe = tool({
    ...toolThat(async () => t.fail() as never),
    input: z.object({ session_key: z.string(), reviewAfter: z.string().optional() }),
    output: z.object({}).catchall(z.string()),
    run: async (_call, given) => ({ text: '', data: { ...given } }),
  })
  const given = async (args: Record<string, string>) => {
    const result = await runTool(probe, noCall, args)
    return result.ok ? result.data : result.text
  }
  t.deepEqual(await given({ sessionKey: 'a', review_after: 'b', other: 'c' }), {
    session_key: 'a',
    reviewAfter: 'b',
  })
  t.deepEqual(await given({ sessionKey: 'a', session_key: 'b' }), { session_key: 'b' })
})

const full = '01a22015-6e9b-7497-8f7e-b73fcfa18bf2'

/** Returns the arguments that a tool takes, or the text of the refusal. */
async function readBy(tool: Tool, args: Record<string, unknown>) {
  const bodies: unknown[] = []
  const call = async (_address: string, request: object) => {
    bodies.push(request)
    throw new ClientError('recorded', { code: 'recorded' })
  }
  const { text } = (await runTool(tool, call as unknown as Call, args)) as { text: string }
  return (bodies[0] ?? text) as { params: { id: string }; query: object; body: Record<string, unknown> }
}
const named = (name: string) => toolsOf('all').find(one => one.name === name) as Tool

test('numbers, booleans, lists and objects may come as text, if that is unambiguous', async t => {
  const { body } = await readBy(named('memory_search'), {
    query: '5',
    limit: '10',
    pinned: 'True',
    type: 'Decision',
    importance_min: '0.5',
    tags: '["a","b"]',
    time: '{"start":"2026-01-01","facets":"occurred, valid"}',
  })
  t.like(body, { query: '5', limit: 10, pinned: true, type: 'decision', importance_min: 0.5, tags: 'a, b' })
  t.deepEqual(body.time, { start: new Date(2026, 0, 1).toISOString(), facets: ['occurred', 'valid'] })
  const store = async (args: object) => (await readBy(named('memory_store'), { content: 'c', ...args })).body
  t.deepEqual((await store({ hints: '["p","q"]' })).structured, { hints: ['p', 'q'] })
  t.deepEqual((await store({ hints: 'one phrase, with a comma' })).structured, {
    hints: ['one phrase, with a comma'],
  })
  t.deepEqual((await store({ hints: "['p', 'q']" })).structured, { hints: ['p', 'q'] })
  t.like(await store({ tags: "['a','b']" }), { tags: 'a, b' })
  t.like(await store({ tags: ['a', 'b'], pinned: 'false', importance: '1' }), {
    tags: 'a, b',
    pinned: false,
    importance: 1,
  })
  t.deepEqual((await store({ structured: '{"city":"","n":null}' })).structured, { city: '', n: null })
})

for (const wrong of ['many', '1,5', '0x10', '1e3', '5 days'])
  test(`the text ${wrong} is not taken for a number`, async t => {
    t.regex(String(await readBy(named('memory_search'), { query: 'x', limit: wrong })), /- limit: /)
  })

test('null and an empty text mean that an optional argument is not given', async t => {
  const { body } = await readBy(named('memory_search'), {
    query: 'x',
    project: '',
    type: '',
    since: null,
    until: '',
    limit: null,
    pinned: 'null',
    time: { start: null },
  })
  t.deepEqual(
    Object.keys(body)
      .filter(name => body[name] !== undefined)
      .sort(),
    ['limit', 'query', 'time'],
  )
  t.like(body, { limit: 10, time: {} })
  const stored = await readBy(named('memory_store'), { content: 'c', hints: null, type: null, tags: '' })
  t.deepEqual(stored.body, { content: 'c' })
  t.deepEqual((await readBy(named('memory_store'), { content: 'c', hints: [' ', ''] })).body, {
    content: 'c',
  })
  t.regex(String(await readBy(named('memory_search'), { query: null })), /- query: /)
  t.regex(String(await readBy(named('memory_search'), { query: '' })), /- query: /)
})

test('what programs print for a missing value means not given, and words that can be meant stay', async t => {
  for (const missing of ['undefined', 'null', 'None', 'NaN', ' ']) {
    const { body } = await readBy(named('memory_search'), { query: 'x', project: missing, since: missing })
    t.deepEqual([body.project, body.since], [undefined, undefined], missing)
    const stored = await readBy(named('memory_store'), { content: missing.trim() || 'c', project: missing })
    t.deepEqual(Object.keys(stored.body), ['content'], missing)
  }
  t.is((await readBy(named('memory_search'), { query: 'x', project: 'none' })).body.project, 'none')
})

const short = full.slice(-8)
const copies = [
  [full.toUpperCase(), full],
  [`id ${full}`, full],
  [`(id ${full})`, full],
  [`[${full}]`, full],
  [`"${full}"`, full],
  [`\`${full}\`,`, full],
  [`memory ${full}.`, full],
  [`memory://${full}`, full],
  [`id: ${short.toUpperCase()}`, short],
  [`(…${short})`, short],
] as const
for (const [copied, id] of copies)
  test(`an id is read from ${copied}`, async t => {
    for (const name of ['memory_get', 'memory_history', 'memory_forget', 'memory_recover', 'memory_modify'])
      t.is((await readBy(named(name), { id: copied, reason: 'r' })).params.id, id, name)
    const { body } = await readBy(named('memory_feedback'), { ratings: { [copied]: '1' } })
    t.deepEqual(body.ratings, { [id]: 1 })
    const params = { messageId: id }
    t.deepEqual((await readBy(named('agent_message_ack'), { message_id: copied })).params as unknown, params)
  })

test('an id may be given as memory_id or as a number, and other texts stay', async t => {
  t.is((await readBy(named('memory_get'), { memory_id: short })).params.id, short)
  t.is((await readBy(named('memory_get'), { id: 12345678 })).params.id, '12345678')
  t.is((await readBy(named('memory_get'), { id: 'the deploy rule' })).params.id, 'the deploy rule')
  const { body } = await readBy(named('memory_search'), { query: 'x', session_key: '"Key-1"' })
  t.is(body.sessionKey, 'Key-1')
})

for (const code of ['not_found', 'version_conflict', 'pinned_requires_force', 'mutations_frozen', 'timeout'])
  test(`a failure with code ${code} says what to do next`, async t => {
    const error = new ClientError('what happened', { code })
    const result = await runTool(
      toolThat(() => Promise.reject(error)),
      noCall,
      { count: 1 },
    )
    t.false(result.ok)
    const [first, next] = result.text.split('\n')
    t.is(first, `what happened (${code})`)
    t.true((next ?? '').length > 10)
  })

test('an unexpected error is reported without its stack', async t => {
  const result = await runTool(
    toolThat(() => Promise.reject(new TypeError('x is undefined'))),
    noCall,
    {
      count: 1,
    },
  )
  t.false(result.ok)
  t.notRegex(result.text, /at .*\.(?:ts|js)/)
  t.regex(result.text, /memory health/)
})

test('a request beyond its limit of 10 s times out (mcp.md 8)', async t => {
  t.is(toolTimeoutMs, 10_000)
  const call = callOver(() => new Promise(() => undefined), 20)
  await t.throwsAsync(call('GET /health'), { instanceOf: ClientError, message: /within 0.02 s/ })
})

test('a daemon that refuses requests is reported as stopping', async t => {
  const call = callOver(() => Promise.reject(new Error('closed')))
  const error = await t.throwsAsync(call('GET /health'), { instanceOf: ClientError })
  t.is(error?.code, 'daemon_unavailable')
})
