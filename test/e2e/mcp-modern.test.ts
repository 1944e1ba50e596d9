import { createInterface } from 'node:readline'
import test from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { readRegistration } from '../../src/lib/workspace/registration.js'
import { cliWorkspace, registeredPid } from '../helpers/cli.js'
import { greeting, spawnStdio } from '../helpers/mcp.js'

const prefix = 'io.modelcontextprotocol/'
const _meta = {
  [`${prefix}protocolVersion`]: '2026-07-28',
  [`${prefix}clientInfo`]: { name: 'claude-code', version: '1' },
  [`${prefix}clientCapabilities`]: {},
}

test('stdio answers requests of 2026-07-28 beside a client of 2025-03-26 and its batches', async t => {
  const server = spawnStdio(t, { SERVICE_NO_AUTOSTART: '1' })
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value)
  const send = (message: object) => server.stdin.write(`${JSON.stringify(message)}\n`)
  const ask = async (method: string, params: object = {}, id: string | number = 'm') => {
    send({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })
    return next()
  }
  const { result } = await ask('server/discover')
  t.deepEqual(result.supportedVersions, ['2026-07-28'])
  t.truthy(result.instructions)
  const modern = await ask('tools/list')
  t.is(modern.result.resultType, 'complete')
  server.stdin.write(greeting)
  t.is((await next()).result.protocolVersion, '2025-03-26')
  send([
    { jsonrpc: '2.0', id: 'a', method: 'tools/list' },
    { jsonrpc: '2.0', id: 'b', method: 'ping' },
  ] as never)
  const [one, two] = [await next(), await next()]
  const listed = [one, two].find(({ id }) => id === 'a')
  t.deepEqual(listed.result.tools, modern.result.tools)
  t.is(listed.result.resultType, undefined)
  t.is((await ask('ping')).error.code, -32601)
  send([{ jsonrpc: '2.0', id: 'c', method: 'tools/list', params: { _meta } }] as never)
  t.is((await next()).error.code, -32600)
})

test('a discovery starts no daemon, and the first call does', async t => {
  const server = spawnStdio(t)
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const ask = async (method: string, params: object = {}) => {
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } })}\n`)
    return JSON.parse((await lines.next()).value).result
  }
  await ask('server/discover')
  t.is(registeredPid(cliWorkspace(t)), undefined)
  const params = { name: 'memory_store', arguments: { content: 'Herons wade', hints: ['birds'] } }
  const { structuredContent } = await ask('tools/call', params)
  const { port } = readRegistration(workspacePaths(cliWorkspace(t)).registration) as { port: number }
  const found = await fetch(`http://127.0.0.1:${port}/api/memory/${structuredContent.id}`)
  t.is(((await found.json()) as { who: string }).who, 'claude-code')
})
