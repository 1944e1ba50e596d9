import { createHash } from 'node:crypto'
import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { putSkill, skillText } from '../../helpers/skills.js'

const revision = '2026-07-28'
const prefix = 'io.modelcontextprotocol/'

interface RequestParts {
  params?: Record<string, unknown>
  capabilities?: object
  headers?: Record<string, string | undefined>
  meta?: Record<string, unknown>
}

/** Sends one request as clients of the revision do, with the headers that repeat its body. */
async function ask(
  url: string,
  method: string,
  { params = {}, capabilities = {}, headers, meta }: RequestParts = {},
) {
  const name = params.name ?? params.uri
  const given = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': revision,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
    ...headers,
  }
  const response = await fetch(`${url}/mcp?resources&prompts`, {
    method: 'POST',
    headers: Object.fromEntries(Object.entries(given).flatMap(pair => (pair[1] === undefined ? [] : [pair]))),
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method,
      params: {
        ...params,
        _meta: {
          [`${prefix}protocolVersion`]: revision,
          [`${prefix}clientInfo`]: { name: 'test', version: '1' },
          [`${prefix}clientCapabilities`]: capabilities,
          ...meta,
        },
      },
    }),
  })
  return { status: response.status, ...JSON.parse(await response.text()) }
}

test('server/discover names the revision, the capabilities and the server', async t => {
  const { url } = await startDaemon(t)
  const { status, result } = await ask(url, 'server/discover')
  t.is(status, 200)
  t.is(result.resultType, 'complete')
  t.deepEqual(result.supportedVersions, [revision])
  t.deepEqual(Object.keys(result.capabilities).sort(), [
    ...['completions', 'extensions', 'prompts', 'resources', 'tools'],
  ])
  t.is(result._meta[`${prefix}serverInfo`].name, 'memory-service')
  t.true(result.ttlMs > 0)
  t.is(result.cacheScope, 'public')
})

test('lists say how long they may be kept and have a fixed order, and tools work without a handshake', async t => {
  const { url } = await startDaemon(t)
  const [first, second] = [await ask(url, 'tools/list'), await ask(url, 'tools/list')]
  t.deepEqual(first, second)
  t.is(first.result.cacheScope, 'public')
  t.is((await ask(url, 'resources/list')).result.cacheScope, 'private')
  const saved = await ask(url, 'tools/call', {
    params: { name: 'memory_store', arguments: { content: 'Herons wade', hints: ['birds'] } },
  })
  t.is(saved.result.resultType, 'complete')
  t.is(saved.result.ttlMs, undefined)
  const { id } = saved.result.structuredContent
  const read = await ask(url, 'resources/read', { params: { uri: `memory://${id}` } })
  t.regex(read.result.contents[0].text, /Herons wade/u)
  t.is(read.result.ttlMs, 0)
})

test('what the revision does not have is not found, and neither is a missing resource', async t => {
  const { url } = await startDaemon(t)
  for (const method of ['ping', 'initialize', 'logging/setLevel', 'resources/subscribe', 'nothing/here']) {
    const { status, error } = await ask(url, method)
    t.deepEqual([status, error.code], [404, -32601], method)
  }
  const uri = 'memory://01a22805-e85e-7086-9802-896f004cde99'
  const { status, error } = await ask(url, 'resources/read', { params: { uri } })
  t.deepEqual([status, error.code], [200, -32602])
})

test('headers that contradict the body are refused with -32020', async t => {
  const { url } = await startDaemon(t)
  const params = { name: 'memory_list', arguments: {} }
  for (const headers of [
    { 'mcp-protocol-version': '2025-11-25' },
    { 'mcp-protocol-version': undefined },
    { 'mcp-method': 'tools/list' },
    { 'mcp-method': undefined },
    { 'mcp-name': 'memory_forget' },
    { 'mcp-name': undefined },
    { 'mcp-name': '=?base64?!!?=' },
  ]) {
    const { status, error } = await ask(url, 'tools/call', { params, headers })
    t.deepEqual([status, error.code], [400, -32020], JSON.stringify(headers))
  }
  const inBase64 = `=?base64?${Buffer.from('memory_list').toString('base64')}?=`
  t.is((await ask(url, 'tools/call', { params, headers: { 'mcp-name': inBase64 } })).status, 200)
})

test('other revisions are refused with those it has, and incomplete data with its name', async t => {
  const { url } = await startDaemon(t)
  const later = '2027-01-01'
  const { status, error } = await ask(url, 'tools/list', {
    headers: { 'mcp-protocol-version': later },
    meta: { [`${prefix}protocolVersion`]: later },
  })
  t.deepEqual([status, error.code], [400, -32022])
  t.deepEqual(error.data, { supported: [revision], requested: later })
  const without = await ask(url, 'tools/list', { meta: { [`${prefix}clientCapabilities`]: undefined } })
  t.deepEqual([without.status, without.error.code], [400, -32602])
  t.regex(without.error.message, /clientCapabilities/u)
})

test('a subscription is confirmed as empty and ends', async t => {
  const { url } = await startDaemon(t)
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': revision,
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 'l',
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true },
        _meta: { [`${prefix}protocolVersion`]: revision, [`${prefix}clientCapabilities`]: {} },
      },
    }),
  })
  t.is(response.headers.get('content-type'), 'text/event-stream')
  const [confirmed, ended] = (await response.text())
    .split('\n')
    .flatMap(line => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
  t.is(confirmed.method, 'notifications/subscriptions/acknowledged')
  t.deepEqual(confirmed.params.notifications, {})
  t.is(confirmed.params._meta[`${prefix}subscriptionId`], 'l')
  t.is(ended.result.resultType, 'complete')
})

test('a command with secrets is run after the user said yes, in clients that can ask', async t => {
  const { url, call } = await startDaemon(t)
  await call('POST /api/secrets/:name', { params: { name: 'API_KEY' }, body: { value: 'correct-horse' } })
  const params = { name: 'secret_exec', arguments: { command: 'exit 0', secrets: { KEY: 'API_KEY' } } }
  const capabilities = { elicitation: {} }
  const { result: question } = await ask(url, 'tools/call', { params, capabilities })
  t.is(question.resultType, 'input_required')
  const { confirm } = question.inputRequests
  t.is(confirm.method, 'elicitation/create')
  t.regex(confirm.params.message, /API_KEY\?\nexit 0/u)
  const answer = async (action: string, changed: object = {}) => {
    const inputResponses = { confirm: { action } }
    const given = { ...params, ...changed, inputResponses, requestState: question.requestState }
    return (await ask(url, 'tools/call', { params: given, capabilities })).result
  }
  t.true((await answer('decline')).isError)
  t.truthy((await answer('accept')).structuredContent.id)
  // An answer counts for the arguments that were shown.
  const other = { arguments: { ...params.arguments, command: 'exit 1' } }
  t.is((await answer('accept', other)).resultType, 'input_required')
  t.truthy((await ask(url, 'tools/call', { params })).result.structuredContent.id)
})

test('several memories are forgotten after the user saw their texts, one at once', async t => {
  const { url, remember } = await startDaemon(t)
  const ids = [await remember('Herons wade'), await remember('Cranes fly'), await remember('Storks nest')]
  const [id, ...more] = ids
  const named = { name: 'memory_forget', arguments: { id, more_ids: [...more, 'unknown1'], reason: 'birds' } }
  const capabilities = { elicitation: { form: {} } }
  const { result: question } = await ask(url, 'tools/call', { params: named, capabilities })
  t.regex(
    question.inputRequests.confirm.params.message,
    /4 memories\?\n- Herons wade\n- Cranes fly\n- Storks nest/u,
  )
  const inputResponses = { confirm: { action: 'accept', content: {} } }
  const { result } = await ask(url, 'tools/call', {
    params: { ...named, inputResponses, requestState: question.requestState },
    capabilities,
  })
  t.regex(result.content[0].text, /^Forgot .*\nForgot .*\nForgot .*\nKept unknown1/u)
  t.deepEqual(result.structuredContent, { id, status: 'deleted', kept: ['unknown1'] })
  const single = { name: 'memory_forget', arguments: { id: await remember('Ibis'), reason: 'birds' } }
  t.is(
    (await ask(url, 'tools/call', { params: single, capabilities })).result.structuredContent.status,
    'deleted',
  )
})

test('a batch with a message of the revision is refused', async t => {
  const { url } = await startDaemon(t)
  const meta = { [`${prefix}protocolVersion`]: revision, [`${prefix}clientCapabilities`]: {} }
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }]),
  })
  t.is(response.status, 400)
  t.is(((await response.json()) as { error: { code: number } }).error.code, -32600)
})

test('installed skills are listed and read by the extension for skills (mcp.md#skills)', async t => {
  const daemon = await startDaemon(t)
  const text = skillText('ship')
  putSkill(daemon.paths, 'ship', text)
  const { result: about } = await ask(daemon.url, 'server/discover')
  t.deepEqual(about.capabilities.extensions, { 'io.modelcontextprotocol/skills': {} })
  const { result } = await ask(daemon.url, 'skills/list')
  const [skill] = result.skills
  t.is(result.resultType, 'complete')
  t.like(skill, {
    uri: 'skill://ship/SKILL.md',
    frontmatter: { name: 'ship', description: 'does ship' },
  })
  const { result: read } = await ask(daemon.url, 'resources/read', { params: { uri: skill.uri } })
  t.is(read.contents[0].text, text)
  const digest = createHash('sha256').update(text).digest('hex')
  t.deepEqual(skill.resources, [{ uri: skill.uri, digest: `sha256:${digest}`, size: text.length }])
  const { result: one } = await ask(daemon.url, 'skills/get', { params: { uri: skill.uri } })
  t.deepEqual(one.skill, skill)
  for (const uri of ['skill://none/SKILL.md', 'skill://../SKILL.md', 'memory://x'])
    t.truthy((await ask(daemon.url, 'skills/get', { params: { uri } })).error, uri)
})

test('a skill with letters outside ASCII is read by the address in the list (mcp.md#skills)', async t => {
  const daemon = await startDaemon(t)
  const text = skillText('prüfen')
  putSkill(daemon.paths, 'prüfen', text)
  const [skill] = (await ask(daemon.url, 'skills/list')).result.skills
  const params = { uri: skill.uri }
  t.deepEqual((await ask(daemon.url, 'skills/get', { params })).result.skill, skill)
  t.is((await ask(daemon.url, 'resources/read', { params })).result.contents[0].text, text)
})
