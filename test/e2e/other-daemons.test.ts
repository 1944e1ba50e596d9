// runs: in turn

import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { type Registration, readRegistration } from '../../src/lib/workspace/registration.js'
import { cliWorkspace, environmentOf, freePort, registeredPid, runCli, until } from '../helpers/cli.js'
import { spawnDaemon } from '../helpers/daemon-process.js'
import { deadPid, registrationOf, writeRegistration } from '../helpers/fake-daemon.js'
import { harnessHome } from '../helpers/harness-home.js'
import { callTool, connectStdio } from '../helpers/mcp.js'
import { type Received, startStranger } from '../helpers/stranger.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const secret = 'the merger is signed in Bergen'
const instance = 'f'.repeat(64)

/** Registrations that a daemon leaves behind when it is killed, while a stranger has its port now. */
const leftBehind: readonly [what: string, (port: number) => Promise<object> | object][] = [
  [
    'a dead process',
    async port => registrationOf({ pid: await deadPid(), port, version: '0.1.0', instance }),
  ],
  [
    'a pid that belongs to another process by now',
    port => ({ ...registrationOf({ port, version: '0.1.0', instance }), process: 'another-boot 1' }),
  ],
  [
    'a pid that belongs to another process by now, on a system that does not tell',
    port => ({ ...registrationOf({ port, version: '0.1.0', instance }), process: undefined }),
  ],
  [
    'a process that runs in another network',
    port => ({ ...registrationOf({ port, version: '0.1.0', instance }), network: 'net:[1]' }),
  ],
]

/** A foreign program may learn that somebody looks for a daemon of the workspace, and nothing else. */
function assertLearntNothing(t: ExecutionContext, received: readonly Received[]): void {
  for (const { method, url, headers, body } of received) {
    t.is(`${method} ${url}`, 'GET /health')
    t.is(body, '')
    t.is(headers['x-service-instance'], undefined)
    t.is(headers.authorization, undefined)
    t.false(JSON.stringify(headers).includes(instance))
  }
}

for (const [what, registration] of leftBehind)
  test(`commands, hooks and MCP send nothing to the program on the port of ${what}`, async t => {
    const workspace = cliWorkspace(t)
    const { port, received } = await startStranger(t, workspace)
    const leave = async (): Promise<void> =>
      writeRegistration(workspace, JSON.stringify(await registration(port)))
    const env = { SERVICE_NO_AUTOSTART: '1', SERVICE_API_KEY: 'svc_sk_key' }

    await leave()
    const recalled = await runCli(t, ['recall', secret, '--json'], { env })
    t.is(recalled.code, 5, recalled.stdout)
    t.is(recalled.json().code, 'daemon_not_started')
    await runCli(t, ['sessions', 'search', secret], { env })
    await runCli(t, ['remember', secret], { env })
    const prompt = JSON.stringify({ session_id: 's', prompt: secret })
    for (const hook of ['session-start', 'user-prompt-submit', 'session-end']) {
      const { code, stdout } = await runCli(t, ['hook', hook, '-H', 'claude-code'], { env, stdin: prompt })
      t.is(code, 0)
      t.false(stdout.includes('STRANGER'))
    }
    const client = await connectStdio(t, [], env)
    const stored = await callTool(client, 'memory_store', { content: secret })
    t.true(stored.isError, stored.text)
    t.false(stored.text.includes('STRANGER'))
    assertLearntNothing(t, received)

    // With a start allowed, the daemon of the workspace gets what was meant for it.
    await leave()
    const saved = await runCli(t, ['remember', secret, '--json'])
    t.is(saved.code, 0, saved.stdout)
    t.not(readRegistration(workspacePaths(workspace).registration)?.port, port)
    assertLearntNothing(t, received)
  })

for (const [what, registration] of leftBehind)
  test(`the plugin of OpenCode sends nothing to the program on the port of ${what}`, async t => {
    const workspace = cliWorkspace(t)
    const { home, run } = harnessHome(t)
    const { port, received } = await startStranger(t, workspace)
    t.is((await run(['connect', 'opencode', '--yes'])).code, 0)
    writeRegistration(workspace, JSON.stringify(await registration(port)))
    const plugin = join(home, '.config', 'opencode', 'plugins', 'memory-service.js')
    const script = `
      const { MemoryService } = await import(${JSON.stringify(pathToFileURL(plugin).href)})
      const client = { session: { messages: async () => ({ data: [] }) } }
      const hooks = await MemoryService({ client, directory: '/', worktree: '/' })
      const parts = [{ type: 'text', text: ${JSON.stringify(secret)} }]
      await hooks['chat.message']({ sessionID: 's' }, { message: { id: 'm', role: 'user' }, parts })
      const system = []
      await hooks['experimental.chat.system.transform']({ sessionID: 's' }, { system })
      console.log(system.join())
      await hooks.dispose()
    `
    const { execa } = await import('execa')
    const ran = await execa(process.execPath, ['--input-type=module', '--eval', script], {
      env: { ...environmentOf(t), HOME: home, SERVICE_NO_AUTOSTART: '1' },
      extendEnv: false,
    })
    t.false(ran.stdout.includes('STRANGER'))
    assertLearntNothing(t, received)
  })

test('a killed daemon whose port another workspace has since: each keeps its own memories', async t => {
  const workspace = cliWorkspace(t)
  const port = String(await freePort())
  const own = await runCli(t, ['remember', 'mine: the boat is red', '--json'], {
    env: { SERVICE_PORT: port },
  })
  t.is(own.code, 0, own.stdout)
  const pid = registeredPid(workspace) as number
  process.kill(pid, 'SIGKILL')
  await until(() => !isThere(pid), 'the daemon is dead')
  const other = temporaryFolder(t, 'memory-service-other')
  const daemon = spawnDaemon(t, other, { SERVICE_PORT: port })
  const { url } = await daemon.ready()

  const saved = await runCli(t, ['remember', secret, '--json'])
  t.is(saved.code, 0, saved.stdout)
  const found = await runCli(t, ['recall', 'boat', '--json'])
  t.regex(found.stdout, /the boat is red/)
  const theirs = await (await fetch(`${url}/api/memories`)).text()
  t.false(theirs.includes('merger'))
})

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test('two workspaces on the default port: the second takes the next one, and everything of ours follows', async t => {
  const first = temporaryFolder(t, 'memory-service-first')
  const port = await freePort()
  const env = { SERVICE_PORT: undefined, SERVICE_DEFAULT_PORT: String(port) }
  await spawnDaemon(t, first, env).ready()
  const saved = await runCli(t, ['remember', secret, '--json'], { env })
  t.is(saved.code, 0, saved.stdout)
  const registration = readRegistration(workspacePaths(cliWorkspace(t)).registration) as Registration
  t.true(registration.port > port, String(registration.port))
  const status = await runCli(t, ['daemon', 'status', '--json'], { env })
  t.is(status.json().url, `http://127.0.0.1:${registration.port}`)
  t.regex(
    (await runCli(t, ['doctor', '-v'], { env })).stdout,
    new RegExp(`127\\.0\\.0\\.1:${registration.port}`),
  )
  const found = await runCli(t, ['recall', 'merger', '--json'], { env })
  t.is(found.json().results[0].content, secret)
  const theirs = await (await fetch(`http://127.0.0.1:${port}/api/memories`)).text()
  t.false(theirs.includes('merger'))

  const { run, read } = harnessHome(t)
  const connected = await run(['connect', 'claude', '--transport', 'http', '--yes'], { env })
  t.is(connected.code, 0, connected.stderr)
  t.regex(connected.stderr + connected.stdout, new RegExp(`the daemon uses port ${registration.port}`))
  const server = JSON.parse(read('.claude.json')).mcpServers.memory
  t.is(server.url, `http://127.0.0.1:${registration.port}/mcp`)
  const hook = JSON.parse(read('.claude/settings.json')).hooks.UserPromptSubmit[0].hooks[0]
  t.deepEqual(hook.headers, server.headers)

  // The entries reach the workspace that they were written for, and no other.
  const headers = { ...hook.headers, 'content-type': 'application/json' }
  const ask = (at: number) =>
    fetch(hook.url.replace(`:${registration.port}/`, `:${at}/`), {
      method: 'POST',
      headers,
      body: JSON.stringify({ session_id: 's', prompt: 'hello' }),
    })
  t.is((await ask(registration.port)).status, 200)
  const refused = await ask(port)
  t.is(refused.status, 421)
  t.like(await refused.json(), { code: 'wrong_workspace' })
})

test('a foreign program on the default port: the daemon takes the next one', async t => {
  const foreign = createServer((_, reply) => reply.end('not yours')).listen(0, '127.0.0.1')
  await once(foreign, 'listening')
  t.teardown(() => foreign.close())
  const { port } = foreign.address() as AddressInfo
  const env = { SERVICE_PORT: undefined, SERVICE_DEFAULT_PORT: String(port) }
  const saved = await runCli(t, ['remember', secret, '--json'], { env })
  t.is(saved.code, 0, saved.stdout)
  t.true((readRegistration(workspacePaths(cliWorkspace(t)).registration)?.port ?? 0) > port)
})

test('a port that somebody chose is not exchanged for another one', async t => {
  const port = await freePort()
  await spawnDaemon(t, temporaryFolder(t, 'memory-service-first'), { SERVICE_PORT: String(port) }).ready()
  const { code, json } = await runCli(t, ['status', '--json'], { env: { SERVICE_PORT: String(port) } })
  t.is(code, 5)
  t.is(json().code, 'foreign_process')
})

test('a daemon refuses the request of another workspace before it reads the body', async t => {
  const { url, registration } = await spawnDaemon(t, temporaryFolder(t, 'memory-service-421')).ready()
  const { port } = new URL(url)
  const head = (id: string) =>
    `POST /api/memory/remember HTTP/1.1\r\nhost: 127.0.0.1\r\nx-service-instance: ${id}\r\n` +
    'content-type: application/json\r\ncontent-length: 1000\r\n\r\n'
  const answer = await new Promise<string>(resolve => {
    const socket = connect({ port: Number(port), host: '127.0.0.1' }, () => socket.write(head(instance)))
    socket.once('data', (chunk: Buffer) => {
      resolve(chunk.toString())
      socket.destroy()
    })
  })
  t.regex(answer, /^HTTP\/1\.1 421 /)
  t.regex(answer, /"code":"wrong_workspace"/)
  t.false(answer.includes(registration.instance as string))

  // A client of the public API names no workspace; ours names the right one.
  t.is((await fetch(`${url}/api/status`)).status, 200)
  const own = { 'x-service-instance': registration.instance as string }
  t.is((await fetch(`${url}/api/status`, { headers: own })).status, 200)
  const health = await fetch(`${url}/health`, { headers: { 'x-service-challenge': 'a'.repeat(32) } })
  t.regex(health.headers.get('x-service-proof') ?? '', /^[0-9a-f]{64}$/)
  t.is((await fetch(`${url}/health`)).headers.get('x-service-proof'), null)
})

test('the registration and the instance id belong to their owner, and the id outlives a restart', async t => {
  const { registration: file, instance: idFile } = workspacePaths(cliWorkspace(t))
  const id = async (): Promise<string | undefined> => {
    t.is((await runCli(t, ['daemon', 'restart'], { umask: '000' })).code, 0)
    return readRegistration(file)?.instance
  }
  const first = await id()
  t.regex(first ?? '', /^[0-9a-f]{64}$/)
  t.is(await id(), first)
  if (process.platform === 'win32') return
  for (const path of [file, idFile]) t.is(statSync(path).mode & 0o777, 0o600, path)
})
