// runs: alone

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { isAlive, readRegistration } from '../../src/lib/workspace/registration.js'
import { cliWorkspace, environmentOf, registeredPid, until } from '../helpers/cli.js'
import { startDaemon } from '../helpers/daemon.js'
import { sendJson, startHttpFake } from '../helpers/embedding-fakes.js'
import { callTool, connectStdio, greeting, mcpBin, spawnStdio } from '../helpers/mcp.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const hints = ['another way to say it']

test('every tool works over stdio, and the daemon starts by itself (mcp.md 4.9)', async t => {
  const client = await connectStdio(t, ['--tools', 'all'])
  const { tools } = await client.listTools()
  const used = new Set<string>()
  const use = async (name: string, args: Record<string, unknown>) => {
    used.add(name)
    const answer = await callTool(client, name, args)
    t.false(answer.isError, `${name}: ${answer.text}`)
    return answer.data
  }
  const { id } = await use('memory_store', { content: 'The deploy runs on Fridays', hints })
  t.is((await use('memory_search', { query: 'deploy' })).results[0].id, id)
  t.is((await use('service_recall', { query: 'deploy' })).results[0].id, id)
  t.is((await use('memory_get', { id })).content, 'The deploy runs on Fridays')
  t.is((await use('memory_feedback', { session_key: 's', ratings: { [id]: 1 } })).recorded, 1)
  t.is((await use('memory_list', {})).total, 1)
  t.is((await use('memory_forget', { id, reason: 'test' })).status, 'deleted')
  t.is((await use('memory_recover', { id, reason: 'test' })).status, 'recovered')
  t.is((await use('memory_history', { id })).history.length, 3)
  t.truthy((await use('service_save_note', { content: 'a note' })).path)
  t.is((await use('search_all', { query: 'deploy' })).items[0].id, id)
  t.is((await use('session_search', { query: 'deploy' })).count, 0)
  t.is((await use('service_source_search', { query: 'deploy' })).count, 0)
  const { port } = readRegistration(workspacePaths(cliWorkspace(t)).registration) as { port: number }
  const post = (path: string, body: object) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await post('/api/hooks/session-start', { harness: 'x', sessionKey: 's1' })
  await post('/api/secrets/API_KEY', { value: 'correct-horse' })
  t.deepEqual((await use('secret_list', {})).secrets, ['API_KEY'])
  const job = await use('secret_exec', { command: 'exit 0', secrets: { KEY: 'API_KEY' } })
  t.is((await use('secret_exec_status', { jobId: job.id })).id, job.id)
  const slot = { entity: 'The deploy', aspect: 'work', group: 'general', claim: 'day' }
  const quoted = (name: string, payload: object) => ({
    operation: name,
    payload,
    reason: 'test',
    confidence: 1,
    evidence: [{ sourceKind: 'memory', sourceId: id, quote: 'deploy runs on Fridays' }],
  })
  const entity = quoted('create_entity', { name: 'The deploy', type: 'concept' })
  const claim = quoted('assert_claim', { ...slot, value: 'Friday' })
  await post('/api/ontology/operations', { operations: [entity, claim] })
  t.is((await use('service_explain_claim', slot)).integrity.status, 'verified')
  t.regex(JSON.stringify(await use('memory_about', { name: 'The deploy' })), /Friday/u)
  t.is((await use('session_list', {})).sessions[0].key, 's1')
  t.is((await use('agent_presence', { include_self: true })).count, 1)
  const message = await use('agent_message_send', { content: 'hi', from_agent_id: 'ada', to_agent_id: 'ben' })
  t.is((await use('agent_message_inbox', { agent_id: 'ben' })).count, 1)
  const read = { message_id: message.id, agent_id: 'ben' }
  t.false((await use('agent_message_ack', read)).alreadyAcknowledged)
  t.true((await use('session_bypass', { session_key: 's1', enabled: true })).bypassed)
  t.is((await use('memory_modify', { id, reason: 'test', tags: 'ops' })).status, 'updated')
  t.deepEqual([...used].sort(), tools.map(({ name }) => name).sort())
})

test('the setting mcp.tools of the workspace chooses the tools, and --tools precedes it', async t => {
  const namesWith = async (...args: string[]) => {
    const client = await connectStdio(t, args, { SERVICE_NO_AUTOSTART: '1' })
    return (await client.listTools()).tools.map(({ name }) => name)
  }
  const usual = await namesWith()
  t.true(usual.includes('memory_list'))
  t.false(usual.includes('service_recall'))
  writeFileSync(join(cliWorkspace(t), 'agent.yaml'), 'mcp: { tools: all }\n')
  t.true((await namesWith()).includes('service_recall'))
  t.false((await namesWith('--tools', 'core')).includes('memory_list'))
})

test('with SERVICE_DAEMON_URL the list is what that daemon offers, else that of a first start', async t => {
  const { url, call } = await startDaemon(t, { settings: { mcp: { tools: 'all' } } })
  const namesAt = async (address: string) => {
    const client = await connectStdio(t, [], { SERVICE_DAEMON_URL: address })
    return (await client.listTools()).tools.map(({ name }) => name)
  }
  const params = { id: 'service.secrets' }
  await call('PATCH /api/plugins/:id', { params, body: { enabled: false } })
  const offered = await namesAt(url)
  t.true(offered.includes('service_recall'))
  t.false(offered.includes('secret_list'))
  const { url: silent } = await startHttpFake(t, () => undefined)
  for (const address of [silent, 'http://127.0.0.1:1']) {
    const first = await namesAt(address)
    t.true(first.includes('secret_list'))
    t.false(first.includes('service_recall'))
    t.false(first.includes('service_code_search'))
  }
})

test('over stdio memory_feedback judges the session of the client', async t => {
  const { url, remember } = await startDaemon(t)
  const id = await remember('the port is 3850')
  const client = await connectStdio(
    t,
    [],
    { SERVICE_DAEMON_URL: url, CLAUDE_CODE_SESSION_ID: 's1' },
    undefined,
    'claude-code',
  )
  await callTool(client, 'memory_search', { query: 'port', session_key: 's1' })
  t.is((await callTool(client, 'memory_feedback', { ratings: { [id]: 1 } })).data.accepted, 1)
})

test('initialize and tools/list need no daemon; a tool without one says what to do', async t => {
  const client = await connectStdio(t, [], { SERVICE_NO_AUTOSTART: '1' })
  t.true((await client.listTools()).tools.length > 0)
  const { isError, text: message } = await callTool(client, 'memory_search', { query: 'x' })
  t.true(isError)
  t.regex(message, /memory daemon start/)
  t.is(registeredPid(cliWorkspace(t)), undefined)
})

test('a server whose folder is removed before it starts serves without a project', async t => {
  const folder = temporaryFolder(t, 'gone')
  // The shell stays in the folder while it removes it.
  const command = `rmdir "$1" && exec "$2" "$3"`
  const child = spawn('/bin/sh', ['-c', command, 'sh', folder, process.execPath, mcpBin], {
    cwd: folder,
    env: environmentOf(t),
  })
  t.teardown(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })
  const answers = lines[Symbol.asyncIterator]()
  const ask = async (id: number, name: string, args: object) => {
    const call = { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }
    child.stdin.write(`${JSON.stringify(call)}\n`)
    return JSON.parse((await answers.next()).value)
  }
  child.stdin.write(greeting)
  t.is(JSON.parse((await answers.next()).value).id, 1)
  t.falsy((await ask(2, 'memory_store', { content: 'The deploy runs on Fridays' })).result.isError)
  const found = await ask(3, 'memory_search', { query: 'deploy', since: 'yesterday', until: 'today' })
  t.regex(found.result.content[0].text, /^1 memory/u)
  for (const [at, args] of ['{"query":"deploy"}', null, []].entries()) {
    const { result, error } = await ask(10 + at, at === 0 ? 'memory_search' : 'memory_list', args as object)
    t.is(error, undefined)
    t.regex(result.content[0].text, /deploy runs/u)
  }
  const refused = await ask(4, 'memory_search', { query: 'deploy', since: 'March 2026' })
  t.regex(refused.result.content[0].text, /^since: must be/u)
})

test('the daemon is started while the client reads the tools', async t => {
  const client = await connectStdio(t)
  await client.listTools()
  await until(() => registeredPid(cliWorkspace(t)) !== undefined, 'the daemon has registered')
  t.pass()
})

test('SERVICE_DAEMON_URL and SERVICE_API_KEY are honoured, with the headers of the MCP server (mcp.md 4.9)', async t => {
  const { url, requests } = await startHttpFake(t, (_request, response) =>
    sendJson(response, 404, { error: 'memory x was not found', code: 'not_found' }, { 'x-request-id': 'r' }),
  )
  const env = { SERVICE_DAEMON_URL: url, SERVICE_API_KEY: 'svc_sk_test' }
  const client = await connectStdio(t, ['--agent', 'ann'], env)
  const { isError, text: message } = await callTool(client, 'memory_get', { id: 'x' })
  t.true(isError)
  t.regex(message, /memory x was not found/)
  const seen = requests.find(({ path }) => path === '/api/items/x')
  t.like(seen?.headers, {
    authorization: 'Bearer svc_sk_test',
    'x-service-runtime-path': 'plugin',
    'x-service-actor': 'mcp-server',
    'x-service-actor-type': 'harness',
    'x-service-agent-id': 'ann',
  })
})

test('resources and prompts are available on request', async t => {
  const plain = await connectStdio(t)
  t.deepEqual(Object.keys(plain.getServerCapabilities() ?? {}), ['tools'])
  const client = await connectStdio(t, ['--resources', '--prompts', '--tools', 'core'])
  const { data } = await callTool(client, 'memory_store', { content: 'Tea is green', hints })
  const { resources } = await client.listResources()
  t.is(resources[0]?.uri, `memory://${data.id}`)
  const { contents } = await client.readResource({ uri: `memory://${data.id}` })
  t.like(contents[0], { mimeType: 'text/plain' })
  t.regex(String(contents[0] && 'text' in contents[0] && contents[0].text), /^Tea is green/)
  await t.throwsAsync(client.readResource({ uri: 'memory://nope' }), { message: /-32002/ })
  await t.throwsAsync(client.readResource({ uri: 'file:///etc/passwd' }), { message: /-32002/ })
  t.is((await client.listResourceTemplates()).resourceTemplates[0]?.uriTemplate, 'memory://{id}')
  t.is((await client.listPrompts()).prompts[0]?.name, 'recall')
  const { messages } = await client.getPrompt({ name: 'recall', arguments: { topic: 'tea' } })
  t.regex(JSON.stringify(messages), /Tea is green/)
  await t.throwsAsync(client.getPrompt({ name: 'recall' }), { message: /topic/ })
  await t.throwsAsync(client.getPrompt({ name: 'toString' }), { message: /available: recall, remember/ })
})

test('memory mcp runs the same program (rules.md#process-and-files)', async t => {
  const run = join(import.meta.dirname, '..', '..', 'bin', 'run.js')
  const child = spawnStdio(t, { SERVICE_NO_AUTOSTART: '1' }, [run, 'mcp', '--tools', 'core'])
  child.stdin.end(`${greeting}{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n`)
  const [, list] = (await text(child.stdout)).trim().split('\n')
  const names = JSON.parse(list ?? '').result.tools.map(({ name }: { name: string }) => name)
  t.true(names.includes('memory_search'))
  t.false(names.includes('memory_list'))
})

/** The server's first log line, written after a client has introduced itself. */
async function firstNote(child: ReturnType<typeof spawnStdio>): Promise<string> {
  child.stdin.write(greeting)
  const { value } = await createInterface(child.stderr)[Symbol.asyncIterator]().next()
  return value
}

test('the server logs its workspace and daemon, and why', async t => {
  const workspace = cliWorkspace(t)
  const named = await firstNote(spawnStdio(t))
  t.true(named.startsWith(`service-mcp: workspace ${workspace} (from SERVICE_WORKSPACE), daemon on port `))
  const bare = { SERVICE_WORKSPACE: '', HOME: workspace, SERVICE_NO_AUTOSTART: '1' }
  t.regex(await firstNote(spawnStdio(t, bare)), /^service-mcp: no daemon: /)
})

test('variables that the client left unexpanded count as unset', async t => {
  const unfilled = { SERVICE_DAEMON_URL: '$SERVICE_DAEMON_URL', SERVICE_API_KEY: '{env:SERVICE_API_KEY}' }
  t.regex(await firstNote(spawnStdio(t, unfilled)), /\(from SERVICE_WORKSPACE\), daemon on port /)
})

test('invalid arguments exit with code 2, and print nothing on stdout', async t => {
  for (const wrong of [['--tools', 'most'], ['--nonsense'], ['word']]) {
    const child = spawnStdio(t, {}, [mcpBin, ...wrong])
    const [out, error, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ])
    t.is(code, 2)
    t.is(out, '')
    t.true(error.includes(wrong.at(-1) ?? ''))
    t.regex(error, /Usage/)
  }
})

test('only protocol messages go to stdout, and invalid input gets an error (mcp.md 4.9)', async t => {
  const child = spawnStdio(t, { SERVICE_NO_AUTOSTART: '1' })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value as string)
  child.stdin.write('this is no JSON\n{"jsonrpc":"1.0","id":"a"}\n[]\n\n')
  t.like(await next(), { jsonrpc: '2.0', id: null, error: { code: -32700 } })
  t.like(await next(), { jsonrpc: '2.0', id: 'a', error: { code: -32600 } })
  t.like(await next(), { jsonrpc: '2.0', id: null, error: { code: -32600 } })
  child.stdin.write(greeting)
  t.like(await next(), { jsonrpc: '2.0', id: 1 })
  child.stdin.write('{"jsonrpc":"2.0","id":2,"method":"nope"}\n')
  t.like(await next(), { jsonrpc: '2.0', id: 2, error: { code: -32601 } })
  const call = { name: 'memory_search', arguments: { query: 'x' } }
  child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: call })}\n`)
  t.like(await next(), { jsonrpc: '2.0', id: 3, result: { isError: true } })
  t.true((await lines.next()).done)
})

test('every request of a batch is answered over stdio (mcp.md 4.9)', async t => {
  const child = spawnStdio(t, { SERVICE_NO_AUTOSTART: '1' })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value as string)
  child.stdin.write(greeting)
  t.like(await next(), { id: 1 })
  const batch = [
    { jsonrpc: '2.0', id: 2, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } },
    { jsonrpc: '2.0', id: 3, method: 'tools/list' },
    { nothing: true },
  ]
  child.stdin.write(`${JSON.stringify(batch)}\n`)
  const replies = [await next(), await next(), await next()]
  t.deepEqual(replies.map(({ id }) => id).sort(), [2, 3, null])
})

type Child = ReturnType<typeof spawnStdio>
type Ending = (child: Child) => void

const endings: Record<string, Ending> = {
  'the end of stdin': child => child.stdin.end(),
  SIGTERM: child => child.kill('SIGTERM'),
  SIGHUP: child => child.kill('SIGHUP'),
}
for (const [why, end] of Object.entries(endings))
  test(`${why} ends the server within 500 ms, even during a call to a silent daemon`, async t => {
    const late: number[] = []
    while (late.length < 6 && !late.some(ms => ms <= 500))
      late.push((await timeToEnd(t, end)) - (await timeToEndAtOnce(t, end)))
    t.true(Math.min(...late) <= 500, `took ${late.map(Math.round).join(', ')} ms longer than it must`)
  })

test('the server ends when its parent dies, even if another process keeps its stdin open', async t => {
  const launcher = `
    const child = require('node:child_process').spawn(process.execPath, [process.argv[1]], { stdio: 'inherit' })
    process.stderr.write(String(child.pid))`
  const parent = spawnStdio(t, { SERVICE_NO_AUTOSTART: '1' }, ['--eval', launcher, mcpBin])
  const [written] = await once(parent.stderr, 'data')
  const pid = Number(written)
  parent.stdin.write(greeting)
  await once(parent.stdout, 'data')
  parent.kill('SIGKILL')
  await until(() => !isAlive(pid), 'the server has ended')
  t.pass()
})

test('servers that are started and killed leave no processes behind', async t => {
  const children = Array.from({ length: 10 }, () => spawnStdio(t))
  for (const child of children) child.stdin.write(greeting)
  await Promise.all(children.map(child => once(child.stdout, 'data')))
  await until(() => registeredPid(cliWorkspace(t)) !== undefined, 'one of them has started the daemon')
  for (const [index, child] of children.entries()) child.kill(index % 2 ? 'SIGKILL' : 'SIGTERM')
  await Promise.all(children.map(child => (child.exitCode ?? child.signalCode) || once(child, 'exit')))
  t.deepEqual(
    children.filter(({ pid }) => pid && isAlive(pid)),
    [],
  )
})

/** Milliseconds from the end of the connection to the exit of a server that is in the middle of a call. */
async function timeToEnd(t: ExecutionContext, end: Ending): Promise<number> {
  const { url, requests } = await startHttpFake(t, () => undefined)
  const child = spawnStdio(t, { SERVICE_DAEMON_URL: url })
  const params = { name: 'memory_get', arguments: { id: 'x' } }
  child.stdin.write(`${greeting}${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params })}\n`)
  await until(() => requests.some(({ path }) => path === '/api/items/x'), 'the call has reached the daemon')
  return timeOfEnd(t, child, end)
}

/** The same for a process with nothing to finish: a busy machine slows both down. */
async function timeToEndAtOnce(t: ExecutionContext, end: Ending): Promise<number> {
  const program = `
    process.stdin.resume().once('end', () => process.exit(0))
    for (const signal of ['SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(0))
    process.stdout.write('ready')`
  const child = spawnStdio(t, {}, ['--eval', program])
  await once(child.stdout, 'data')
  return timeOfEnd(t, child, end)
}

async function timeOfEnd(t: ExecutionContext, child: Child, end: Ending): Promise<number> {
  const started = performance.now()
  end(child)
  const [code] = await once(child, 'exit')
  t.is(code, 0)
  return performance.now() - started
}
