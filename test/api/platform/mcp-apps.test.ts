import { EXTENSION_ID, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/server'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import test, { type ExecutionContext } from 'ava'
import { startDaemon } from '../../helpers/daemon.js'

const announced = { extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } } }
const uri = 'ui://memory/browser'

async function connect(t: ExecutionContext, url: string, query: string, capabilities = {}) {
  const client = new Client({ name: 'test', version: '1' }, { capabilities })
  await client.connect(new StreamableHTTPClientTransport(new URL(`/mcp${query}`, url)))
  t.teardown(() => client.close())
  return client
}

/** Asks in revision 2026-07-28. */
function asker(url: string, capabilities: object) {
  const prefix = 'io.modelcontextprotocol/'
  const _meta = {
    [`${prefix}protocolVersion`]: '2026-07-28',
    [`${prefix}clientInfo`]: { name: 'test', version: '1' },
    [`${prefix}clientCapabilities`]: capabilities,
  }
  return async (method: string, params: Record<string, string> = {}) => {
    const reply = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...((params.uri ?? params.name) && { 'mcp-name': params.uri ?? params.name }),
      } as Record<string, string>,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: tests look into any result
    return (await reply.json()) as any
  }
}

const namesOf = (tools: { name: string }[]) => tools.map(({ name }) => name)

test('a client without the extension sees nothing of the browser (mcp.md 4.9)', async t => {
  const { url } = await startDaemon(t)
  const plain = await connect(t, url, '')
  t.is(plain.getServerCapabilities()?.resources, undefined)
  t.is(plain.getServerCapabilities()?.extensions, undefined)
  const { tools } = await plain.listTools()
  t.false(namesOf(tools).includes('memory_browse'))
  t.false(tools.some(tool => '_meta' in tool))
  await t.throwsAsync(plain.request({ method: 'resources/read', params: { uri } }, {} as never), {
    message: /-32601/,
  })
  const call = await plain.callTool({ name: 'memory_browse', arguments: {} })
  t.true(call.isError)
  const others = await connect(t, url, '?resources')
  t.false((await others.listResources()).resources.some(resource => resource.uri === uri))
  await t.throwsAsync(others.readResource({ uri }), { message: /-32002/ })
  // Over HTTP its later requests would not say that it announced the extension.
  const old = await connect(t, url, '', announced)
  t.is(old.getServerCapabilities()?.resources, undefined)
  for (const extensions of [{}, { [EXTENSION_ID]: {} }, { [EXTENSION_ID]: { mimeTypes: ['text/html'] } }]) {
    const ask = asker(url, { extensions })
    t.deepEqual(namesOf((await ask('tools/list')).result.tools), namesOf(tools))
    t.is((await ask('server/discover')).result.capabilities.resources, undefined)
    t.is((await ask('resources/read', { uri })).error.code, -32601)
  }
})

test('a client with the extension gets the tool, the resource, and tools for the browser alone', async t => {
  const { url, remember } = await startDaemon(t)
  const id = await remember('Tea is green')
  const ask = asker(url, announced)
  const { capabilities } = (await ask('server/discover')).result
  t.deepEqual(capabilities.extensions, { [EXTENSION_ID]: {} })
  const { tools, cacheScope } = (await ask('tools/list')).result
  t.is(cacheScope, 'private')
  const plain = (await asker(url, {})('tools/list')).result
  t.is(plain.cacheScope, 'public')
  const extra = tools.slice(plain.tools.length)
  t.deepEqual(namesOf(extra), ['memory_browse', 'memory_pin'])
  t.deepEqual(extra[0]._meta.ui, { resourceUri: uri, visibility: ['model', 'app'] })
  t.deepEqual(extra[1]._meta.ui, { visibility: ['app'] })
  const [content] = (await ask('resources/read', { uri })).result.contents
  t.is(content.mimeType, RESOURCE_MIME_TYPE)
  t.deepEqual(content._meta.ui.csp, { connectDomains: [], resourceDomains: [] })
  t.regex(content.text, /^<!doctype html>/u)
  const old = await connect(t, url, '?tools=core&resources&apps')
  t.true(namesOf((await old.listTools()).tools).includes('memory_recover'))
  t.true((await old.listResources()).resources.some(resource => resource.uri === uri))
  const { structuredContent } = await old.callTool({ name: 'memory_browse', arguments: {} })
  const { memories } = structuredContent as { memories: { id: string; pinned: boolean }[] }
  t.deepEqual(
    memories.map(memory => [memory.id, memory.pinned]),
    [[id, false]],
  )
  await t.throwsAsync(old.readResource({ uri: 'ui://memory/other' }), { message: /-32002/ })
})
