import test from 'ava'
import { callTool, connectHttp } from '../../helpers/mcp.js'
import { fromOutside, startTeam } from '../../helpers/team.js'

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
const hints = ['another way to say it']

test('team mode requires a credential before anything else, with a JSON-RPC error (mcp.md 5)', async t => {
  const { url } = await startTeam(t)
  for (const authorization of [undefined, 'Bearer svc_sk_wrong']) {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { ...headers, ...(authorization && { authorization }) },
      body,
    })
    t.is(response.status, 401)
    t.like(await response.json(), { jsonrpc: '2.0', error: { data: { code: 'unauthenticated' } } })
  }
  t.is((await fetch(`${url}/mcp`, { headers: { accept: 'text/event-stream' } })).status, 401)
})

test('a tool has exactly the permissions its credential has over HTTP (mcp.md 5)', async t => {
  const team = await startTeam(t)
  const reader = await connectHttp(t, team.url, { headers: team.token({ role: 'readonly' }) })
  t.false((await callTool(reader, 'memory_search', { query: 'x' })).isError)
  const refused = await callTool(reader, 'memory_store', { content: 'x', hints })
  t.true(refused.isError)
  t.regex(refused.text, /forbidden.*\n.*credential/)
  const writer = await connectHttp(t, team.url, { headers: (await team.key({ role: 'agent' })).headers })
  t.false((await callTool(writer, 'memory_store', { content: 'x', hints })).isError)
})

test('memory_forget reports that other holders keep the memory (rules.md#holders)', async t => {
  const team = await startTeam(t)
  const save = async (project: string) =>
    (
      await team.call('POST /api/memory/remember', {
        body: { content: 'the pier is closed', project },
        headers: team.admin,
      })
    ).body.id
  const id = await save('web')
  await save('api')
  const scoped = team.token({ role: 'agent', scope: { project: 'api' } })
  const client = await connectHttp(t, team.url, { headers: scoped })
  const { text, data } = await callTool(client, 'memory_forget', { id, reason: 'outdated' })
  t.like(data, { id, status: 'deleted' })
  t.regex(text, /other agents saved it too and still see it/)
})

test('scopes apply to tools as well (mcp.md 5)', async t => {
  const team = await startTeam(t)
  const scoped = team.token({ role: 'agent', scope: { agent: 'ann' } })
  const client = await connectHttp(t, team.url, { headers: scoped })
  t.false((await callTool(client, 'memory_search', { query: 'x' })).isError)
  const other = await callTool(client, 'memory_search', { query: 'x', agent_id: 'bob' })
  t.true(other.isError)
  t.regex(other.text, /scope_violation/)
})

test('hybrid mode trusts only this machine (mcp.md 5)', async t => {
  const { url } = await startTeam(t, { settings: { auth: { mode: 'hybrid' }, daemon: { host: '0.0.0.0' } } })
  const local = await connectHttp(t, url)
  t.false((await callTool(local, 'memory_store', { content: 'x', hints })).isError)
  const outside = fromOutside(url)
  if (!outside) return t.log('this machine has no network address')
  const response = await fetch(`${outside}/mcp`, { method: 'POST', headers, body })
  t.is(response.status, 401)
})
