import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import test, { type ExecutionContext } from 'ava'
import { decodedFolder } from '../../../src/lib/workspace/working-folder.js'
import { callerHeaders } from '../../../src/mcp/caller-headers.js'
import { createServer } from '../../../src/mcp/server.js'
import { temporaryFolder } from '../../helpers/temporary-folder.js'

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
