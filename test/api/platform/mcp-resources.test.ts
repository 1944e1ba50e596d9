import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import test from 'ava'
import { capture } from '../../helpers/captures.js'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { connectHttp } from '../../helpers/mcp.js'
import { operation, perform } from '../../helpers/ontology.js'

test('sessions, entities and documents are resources, with completion (mcp.md 4.9)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('The pump is owned by Ann Keller')
  await capture(daemon, { sessionKey: 's/1', project: '/p', transcript: 'user: why does the pump leak' })
  await perform(daemon, [operation('create_entity', { name: 'Pump 7', type: 'component' }, { [id]: 'pump' })])
  const { body } = await daemon.call('POST /api/documents', {
    body: { source_type: 'text', title: 'Manual', content: 'Oil the pump twice a year.' },
  })
  await until(async () => {
    const { status } = (await daemon.call('GET /api/documents/:id', { params: { id: body.id } })).body
    return status === 'done' || undefined
  })
  const client = await connectHttp(t, daemon.url, { query: '?resources&prompts' })
  const { resources } = await client.listResources()
  const read = async (uri: string) => {
    t.true(
      resources.some(resource => resource.uri === uri),
      uri,
    )
    const [content] = (await client.readResource({ uri })).contents
    return content && 'text' in content ? content.text : ''
  }
  t.regex(await read(`memory://${id}`), /Ann Keller/u)
  t.regex(await read('memory://session/s%2F1'), /user: why does the pump leak/u)
  t.regex(await read('memory://entity/Pump%207'), /^Pump 7 \(component\)/u)
  t.regex(await read(`memory://document/${body.id}`), /twice a year/u)
  for (const uri of ['memory://entity/Nobody', 'memory://session/', 'memory://%E0', 'http://x'])
    await t.throwsAsync(client.readResource({ uri }), { message: /-32002/ }, uri)
  const complete = async (name: string, value: string) => {
    const ref = { type: 'ref/prompt' as const, name: 'recall' }
    return (await client.complete({ ref, argument: { name, value } })).completion.values
  }
  t.deepEqual(await complete('topic', 'pum'), ['Pump 7'])
  t.deepEqual(await complete('key', 's'), ['s/1'])
  t.deepEqual(await complete('other', ''), [])
})

test('prompts save, hand over and review (mcp.md 4.9)', async t => {
  const daemon = await startDaemon(t)
  const client = await connectHttp(t, daemon.url, { query: '?prompts=true' })
  t.deepEqual(
    (await client.listPrompts()).prompts.map(({ name }) => name),
    ['recall', 'remember', 'handover', 'review'],
  )
  const textOf = async (name: string, args?: Record<string, string>) => {
    const { messages } = await client.getPrompt({ name, ...(args && { arguments: args }) })
    const [{ content }] = messages as [(typeof messages)[number]]
    return content.type === 'text' ? content.text : ''
  }
  t.regex(await textOf('remember', { what: 'tea is green' }), /memory_store .+: tea is green\./u)
  t.regex(await textOf('remember'), /from this conversation/u)
  t.notRegex(await textOf('handover'), /issues are open/u)
  await daemon.remember('The login test fails at random', { type: 'issue' })
  t.regex(await textOf('handover'), /issues are open[\s\S]+login test fails/u)
  t.regex(await textOf('review'), /no suggestion waits/u)
  t.falsy(client.getServerCapabilities()?.resources)
})

test('recall and handover work in one project, and clients complete its name (mcp.md#resources-and-prompts)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('The heron login test fails at random', { type: 'issue', project: 'heron' })
  await daemon.remember('The crane login test is slow', { type: 'issue', project: 'crane' })
  const client = await connectHttp(t, daemon.url, { query: '?prompts' })
  const textOf = async (name: string, args: Record<string, string>) => {
    const { messages } = await client.getPrompt({ name, arguments: args })
    return messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join('\n')
  }
  for (const [name, args] of [
    ['handover', { project: 'heron' }],
    ['recall', { topic: 'login test', project: 'heron' }],
  ] as const) {
    const text = await textOf(name, args)
    t.regex(text, /heron login/u, name)
    t.notRegex(text, /crane login/u, name)
  }
  const ref = { type: 'ref/prompt' as const, name: 'recall' }
  const { completion } = await client.complete({ ref, argument: { name: 'project', value: 'he' } })
  t.deepEqual(completion.values, ['heron'])
})

test('results link to resources where the client reads both (mcp.md#resources-and-prompts)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('The pump is owned by Ann Keller')
  await capture(daemon, { sessionKey: 's/1', project: '/p', transcript: 'user: why does the pump leak' })
  const linksOf = async (query: string, name: string, args: Record<string, unknown>) => {
    const client = await connectHttp(t, daemon.url, { query })
    const { content } = (await client.callTool({ name, arguments: args })) as CallToolResult
    return content.flatMap(part => (part.type === 'resource_link' ? [part.uri] : []))
  }
  const search = { query: 'pump' }
  t.deepEqual(await linksOf('?resources', 'memory_search', search), [`memory://${id}`])
  t.deepEqual(await linksOf('?resources', 'session_search', search), ['memory://session/s%2F1'])
  const all = await linksOf('?resources', 'search_all', search)
  t.deepEqual(all.sort(), [`memory://${id}`, 'memory://session/s%2F1'].sort())
  const client = await connectHttp(t, daemon.url, { query: '?resources' })
  for (const uri of all) t.is((await client.readResource({ uri })).contents.length, 1, uri)
  t.deepEqual(await linksOf('', 'memory_search', search), [], 'a server without resources')
  const older = await fetch(`${daemon.url}/mcp?resources`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'memory_search', arguments: search },
    }),
  })
  const text = await older.text()
  t.regex(text, /Ann Keller/)
  t.notRegex(text, /resource_link/, 'revisions before 2025-06-18 have no links')
})
