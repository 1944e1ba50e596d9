import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import test, { type ExecutionContext } from 'ava'
import type { BundledPlugin } from '../../../src/contract/ground/plugin-capabilities.js'
import { workspacePaths } from '../../../src/lib/workspace/paths.js'
import { decodedFolder } from '../../../src/lib/workspace/working-folder.js'
import { offeredTools } from '../../../src/mcp/listed-tool.js'
import { offersOf } from '../../../src/mcp/offered-tools.js'
import { createServer } from '../../../src/mcp/server.js'
import { callerHeaders, deleteUnresolved, workspaceChoice } from '../../../src/mcp/stdio.js'
import { temporaryWorkspace } from '../../helpers/daemon.js'
import { openPlugins } from '../../helpers/plugins.js'
import { temporaryFolder } from '../../helpers/temporary-folder.js'

const tools: readonly { name: string; plugin?: BundledPlugin }[] = [
  { name: 'memory_search' },
  { name: 'secret_list', plugin: 'service.secrets' },
  { name: 'service_code_search', plugin: 'service.codeindex' },
]

const namesFor = (workspace: string) => offeredTools(tools, offersOf(workspace)).map(({ name }) => name)

test('before the first daemon, tools of plugins enabled by default are listed', t => {
  t.deepEqual(namesFor(temporaryWorkspace(t)), ['memory_search', 'secret_list'])
})

test('tools of a plugin that is disabled or lost its tool grant are not listed', async t => {
  const { plugins, paths } = await openPlugins(t)
  const change = async (id: string, fields: object) => {
    const plugin = plugins.find(id)
    if (plugin) await plugins.change(plugin, fields, { source: 'api' })
  }
  await change('service.codeindex', { enabled: true })
  t.deepEqual(namesFor(paths.root), ['memory_search', 'secret_list', 'service_code_search'])
  await change('service.secrets', { enabled: false })
  await change('service.codeindex', { revoke: ['mcp:tools'] })
  t.deepEqual(namesFor(paths.root), ['memory_search'])
})

test('with an unreadable registry all tools are listed, and the daemon decides', t => {
  const workspace = temporaryWorkspace(t)
  const { pluginRegistry } = workspacePaths(workspace)
  mkdirSync(dirname(pluginRegistry), { recursive: true })
  writeFileSync(pluginRegistry, '{')
  t.is(namesFor(workspace).length, 3)
})

test('unresolved variable references are removed, values stay', t => {
  const braces = (inner: string) => `{${inner}}`
  const env: Record<string, string | undefined> = {
    SERVICE_PORT: '$SERVICE_PORT',
    SERVICE_HOST: `$${braces('SERVICE_HOST')}`,
    SERVICE_TOKEN: `$${braces('env:SERVICE_TOKEN')}`,
    SERVICE_API_KEY: braces('env:SERVICE_API_KEY'),
    SERVICE_LOG_LEVEL: '',
    SERVICE_PROJECT: '$HOME',
    SERVICE_DAEMON_URL: 'http://127.0.0.1:3850',
    OTHER: '$OTHER',
  }
  deleteUnresolved(env)
  t.deepEqual(env, {
    SERVICE_PROJECT: '$HOME',
    SERVICE_DAEMON_URL: 'http://127.0.0.1:3850',
    OTHER: '$OTHER',
  })
})

test('the origin of the workspace is reported', t => {
  t.regex(workspaceChoice({}, undefined), /^the default: SERVICE_WORKSPACE is not set/)
  t.regex(workspaceChoice({ SERVICE_WORKSPACE: '/x' }, undefined), /SERVICE_WORKSPACE$/)
  t.regex(workspaceChoice({ SERVICE_WORKSPACE: '/x' }, '/y'), /--workspace$/)
  t.regex(workspaceChoice({ SERVICE_DAEMON_URL: 'http://x:1' }, '/y'), /daemon in SERVICE_DAEMON_URL$/)
})

interface ClientOptions {
  name?: string
  roots?: readonly string[]
  env?: Record<string, string>
  /** Projects of live sessions. */
  sessions?: Record<string, string>
}

/** Connects a client with a name and roots; returns the headers of a server's calls for it. */
async function connect(
  t: ExecutionContext,
  { name = 'test', roots, env = {}, sessions = {} }: ClientOptions,
) {
  const server = createServer({
    call: () => Promise.reject(new Error('no call')),
    tools: 'core',
    list: () => [],
  })
  const headers = callerHeaders(server, env, async key => sessions[key])
  const client = new Client(
    { name, version: '1' },
    { capabilities: roots ? { roots: { listChanged: true } } : {} },
  )
  const given = { roots: roots ?? [] }
  if (roots)
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: given.roots.map(folder => ({ uri: pathToFileURL(folder).href })),
    }))
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  t.teardown(() => client.close())
  return { client, given, headers }
}

const decoded = (given: Record<string, string>) => decodeURIComponent(given['x-service-project'] ?? '')

test('the project is that of CLAUDE_PROJECT_DIR, else of the first root, else of the folder', async t => {
  const home = temporaryFolder(t, 'memory-service-roots')
  const [one, two] = ['ä one', 'two'].map(folder => join(home, folder)) as [string, string]
  for (const folder of [one, two]) mkdirSync(folder)
  const claude = await connect(t, { roots: [two], env: { CLAUDE_PROJECT_DIR: one } })
  t.is(decoded(await claude.headers()), one)
  t.is(decodedFolder((await claude.headers())['x-service-cwd']), one)
  const { client, given, headers } = await connect(t, { roots: [one, two] })
  t.is(decoded(await headers()), one)
  given.roots = [two]
  await client.sendRootsListChanged()
  t.is(decoded(await headers()), two)
  t.is(decoded(await (await connect(t, {})).headers()), process.cwd())
  t.is((await (await connect(t, { roots: ['/'] })).headers())['x-service-project'], undefined)
  t.is((await (await connect(t, { roots: ['/'] })).headers())['x-service-cwd'], '/')
})

test('a server of a plug-in, started in its folder, works in the project of the session', async t => {
  const env = { COPILOT_PLUGIN_ROOT: process.cwd(), COPILOT_AGENT_SESSION_ID: 's1' }
  const ofCopilot = { name: 'github-copilot-developer', env }
  const known = await connect(t, { ...ofCopilot, sessions: { s1: '/work/heron' } })
  t.is(decoded(await known.headers()), '/work/heron')
  t.is((await (await connect(t, ofCopilot)).headers())['x-service-project'], undefined)
})

test('the program is named as its hooks name it, and some give the session', async t => {
  const env = { CLAUDE_CODE_SESSION_ID: 's1', COPILOT_AGENT_SESSION_ID: 's2' }
  for (const [name, harness, session] of [
    ['claude-code', 'claude-code', 's1'],
    ['codex-mcp-client', 'codex', undefined],
    ['gemini-cli-mcp-client', 'gemini', undefined],
    ['github-copilot-developer', 'copilot', 's2'],
    ['Ünknown tool', 'nknown tool', undefined],
  ] as const) {
    const given = await (await connect(t, { name, env })).headers()
    t.is(given['x-service-harness'], harness)
    t.is(given['x-service-session-key'], session)
  }
})
