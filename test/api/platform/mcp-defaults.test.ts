import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { callTool, connectHttp } from '../../helpers/mcp.js'

test('memory_feedback without a session key judges the session of the caller', async t => {
  const { url, call, remember } = await startDaemon(t)
  const id = await remember('the port is 3850')
  const at = (headers: Record<string, string>) =>
    connectHttp(t, url, { headers: { 'x-service-project': 'shop', ...headers } })
  const rate = async (client: Awaited<ReturnType<typeof at>>) =>
    callTool(client, 'memory_feedback', { ratings: { [`(id ${id.slice(-8).toUpperCase()})`]: '1' } })
  const named = await at({ 'x-service-harness': 'claude-code', 'x-service-session-key': 's1' })
  t.like(await rate(named), { data: { accepted: 0, rejected: 1 } })
  await callTool(named, 'memory_search', { query: 'port', session_key: 's1' })
  t.like(await rate(named), { data: { accepted: 1 } })
  const live = { harness: 'codex', sessionKey: 'live', project: 'shop' }
  await call('POST /api/hooks/session-start', { body: live })
  const unnamed = await at({ 'x-service-harness': 'codex' })
  await callTool(unnamed, 'memory_search', { query: 'port', session_key: 'live' })
  t.like(await rate(unnamed), { data: { accepted: 1 } })
  const unknown = await rate(await at({ 'x-service-harness': 'gemini' }))
  t.true(unknown.isError)
  t.regex(unknown.text, /session_key/)
})

test('the query tools, else the setting mcp.tools, names the set that is listed (mcp.md 4.9)', async t => {
  const namesAt = async (url: string, query = '') =>
    (await (await connectHttp(t, url, { query })).listTools()).tools.map(({ name }) => name)
  const { url } = await startDaemon(t)
  const core = await namesAt(url, '?tools=core')
  const standard = await namesAt(url)
  const all = await namesAt(url, '?tools=all')
  t.deepEqual(
    [core, standard, all].map(names =>
      ['memory_search', 'memory_list', 'service_recall'].filter(n => names.includes(n)),
    ),
    [['memory_search'], ['memory_search', 'memory_list'], ['memory_search', 'memory_list', 'service_recall']],
  )
  t.is((await fetch(`${url}/mcp?tools=most`, { method: 'DELETE' })).status, 400)
  const chosen = await startDaemon(t, { settings: { mcp: { tools: 'all' } } })
  t.deepEqual(await namesAt(chosen.url), all)
  t.deepEqual(await namesAt(chosen.url, '?tools=standard'), standard)
})

test('memory_store tells the model which private parts were left out', async t => {
  const { url } = await startDaemon(t)
  const client = await connectHttp(t, url)
  const { text } = await callTool(client, 'memory_store', { content: 'tea <private>for Ann</private>' })
  t.regex(text, /Left out 1 private part \(26 characters\)/)
  const open = await callTool(client, 'memory_store', { content: 'the <private> tag' })
  t.regex(open.text, /Kept the text after a private tag without an end tag/)
})
