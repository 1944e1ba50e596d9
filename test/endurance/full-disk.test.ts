import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { upload } from '../helpers/imports.js'
import { limitFiles, whereLimits } from '../helpers/limited-files.js'

/** SQLite does not report why a file did not grow. */
const refusals = 'the disk refuses writes|a file may not grow any further'
const none = { SERVICE_LOG_LEVEL: 'silent' }

interface DaemonReply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: replies of any route
  body: any
}

async function ask(url: string, path: string, body?: object): Promise<DaemonReply> {
  const reply = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  return { status: reply.status, body: await reply.json() }
}

const save = (url: string, content: string) => ask(url, '/api/memory/remember', { content })

/** Reads are answered, writes fail with the reason, and status requests report it too. */
async function assertReadsGoOn(t: ExecutionContext, url: string): Promise<void> {
  const refused = await save(url, 'nothing can be saved now')
  t.is(refused.status, 507)
  t.is(refused.body.code, 'insufficient_storage')
  t.regex(refused.body.error, new RegExp(`^(?:${refusals}): nothing was changed; free disk space`, 'u'))
  const session = { harness: 'claude-code', sessionKey: 's' }
  // An index that is still loading on a busy machine says so and answers with what it has.
  await until(async () => {
    const { status, body } = await ask(url, '/api/memory/recall', { query: 'harbour crane', sessionKey: 's' })
    t.is(status, 200)
    return body.results.length === 1
  })
  t.is((await ask(url, '/api/memories')).body.memories.length, 1)
  const started = await ask(url, '/api/hooks/session-start', session)
  t.deepEqual([started.status, started.body.memories.length], [200, 1])
  const prompted = await ask(url, '/api/hooks/user-prompt-submit', {
    ...session,
    userMessage: 'which crane?',
  })
  t.is(prompted.status, 200)
  const transcript = 'User: which crane?\nAssistant: the red one'
  t.is((await ask(url, '/api/hooks/session-end', { ...session, transcript })).status, 507)
  const { status, body: ready } = await ask(url, '/health/ready')
  t.is(status, 503)
  t.false(ready.checks.database.ok)
  t.regex(
    ready.checks.database.detail,
    new RegExp(`^(?:${refusals}): nothing can be saved; reading still works$`, 'u'),
  )
  const { body: told } = await ask(url, '/api/status')
  t.is(told.health.status, 'unhealthy')
  t.like(told.storage, { writable: false, damage: [] })
  t.regex(told.storage.problem, new RegExp(`^(?:${refusals})$`, 'u'))
}

async function assertRecovers(t: ExecutionContext, url: string): Promise<void> {
  await until(async () => (await ask(url, '/health/ready')).status === 200)
  t.is((await save(url, 'there is room again')).status, 200)
  t.deepEqual((await ask(url, '/api/status')).body.storage, { writable: true, damage: [] })
}

test(
  'a full disk refuses writes with 507, reads work, and writes resume by themselves (rules.md#full-disk)',
  whereLimits(async t => {
    const daemon = spawnDaemon(t, temporaryWorkspace(t), none)
    const { url } = await daemon.ready()
    const pid = daemon.child.pid as number
    await save(url, 'the harbour crane is red')
    limitFiles(pid, '0')
    await assertReadsGoOn(t, url)
    const waiting = (await ask(url, '/api/telemetry/health')).body
    t.true(waiting.bufferedEventCount > 0)
    for (const path of ['events', 'stats', 'memory-search'])
      t.is((await ask(url, `/api/telemetry/${path}`)).status, 200, path)
    limitFiles(pid, 'unlimited')
    await assertRecovers(t, url)
    // Events during the full disk are not lost (telemetry.md 3).
    const { events } = (await ask(url, '/api/telemetry/events')).body
    t.true(events.some(({ event }: { event: string }) => event === 'recall.performed'))
    t.like((await ask(url, '/api/telemetry/health')).body, { bufferedEventCount: 0, droppedEventCount: 0 })
  }),
)

test(
  'a start on a full disk serves reads, and writes once there is room (rules.md#full-disk)',
  whereLimits(async t => {
    const workspace = temporaryWorkspace(t)
    const first = spawnDaemon(t, workspace, none)
    await save((await first.ready()).url, 'the harbour crane is red')
    first.child.kill('SIGTERM')
    await first.exited
    const { url, pid } = await startLimited(t, workspace)
    await assertReadsGoOn(t, url)
    limitFiles(pid, 'unlimited')
    await assertRecovers(t, url)
  }),
)

test(
  'a new workspace on a full disk reports it and opens by itself once there is room',
  whereLimits(async t => {
    const workspace = temporaryWorkspace(t)
    const { url, pid } = await startLimited(t, workspace)
    t.is((await save(url, 'x')).status, 507)
    const { body } = await ask(url, '/health/ready')
    t.regex(body.checks.database.detail, /could not be opened/)
    limitFiles(pid, 'unlimited')
    await assertRecovers(t, url)
  }),
)

test(
  'a session end from a hook on a full disk is processed once there is room (rules.md#full-disk)',
  whereLimits(async t => {
    const daemon = spawnDaemon(t, temporaryWorkspace(t), none)
    const { url } = await daemon.ready()
    const pid = daemon.child.pid as number
    const hook = (name: string, event: string, fields: object) =>
      fetch(`${url}/api/hooks/harness/claude-code/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ session_id: 's', cwd: '/work', hook_event_name: event, ...fields }),
      })
    const sessions = async () => (await ask(url, '/api/sessions')).body.sessions.length
    await hook('session-start', 'SessionStart', { source: 'startup' })
    t.is(await sessions(), 1)
    limitFiles(pid, '0')
    t.is((await hook('session-end', 'SessionEnd', { reason: 'exit' })).status, 200)
    t.is(await sessions(), 1)
    limitFiles(pid, 'unlimited')
    await until(async () => (await sessions()) === 0)
  }),
)

/** Starts a daemon that can never write, not even its registration. */
async function startLimited(t: ExecutionContext, workspace: string): Promise<{ url: string; pid: number }> {
  const port = await freePort()
  const entry = join(import.meta.dirname, '..', '..', 'bin', 'daemon.js')
  const child = spawn('prlimit', ['--fsize=0:', process.execPath, entry, '--foreground'], {
    env: { ...process.env, ...none, SERVICE_WORKSPACE: workspace, SERVICE_PORT: String(port) },
    stdio: 'ignore',
  })
  t.teardown(() => void child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  await until(() =>
    fetch(`${url}/health/ready`).then(
      async reply => !(await reply.text()).includes('"detail":"starting"'),
      () => undefined,
    ),
  )
  return { url, pid: child.pid as number }
}

function freePort(): Promise<number> {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

test(
  'a disk that fills while a document is read loses nothing of it (documents.md#lifecycle)',
  whereLimits(async t => {
    const daemon = spawnDaemon(t, temporaryWorkspace(t), none)
    const { url } = await daemon.ready()
    const pid = daemon.child.pid as number
    const sections = Array.from(
      { length: 1000 },
      (_, n) => `## Section ${n}\n\nCrane number ${n} lifts containers ${'and more of them '.repeat(20)}`,
    )
    const content = sections.join('\n\n')
    const { id } = (await ask(url, '/api/documents', { source_type: 'text', content })).body
    const look = async () => (await ask(url, `/api/documents/${id}`)).body
    await until(async () => (await look()).status === 'chunking')
    limitFiles(pid, '0')
    await until(async () => (await ask(url, '/health/ready')).status === 503)
    const refused = await ask(url, '/api/documents', { source_type: 'text', content: 'one more' })
    t.deepEqual([refused.status, refused.body.code], [507, 'insufficient_storage'])
    const waiting = await look()
    t.false(['done', 'failed'].includes(waiting.status), waiting.status)
    limitFiles(pid, 'unlimited')
    await until(async () => ['done', 'failed'].includes((await look()).status))
    const { status, chunk_count: count, error } = await look()
    t.is(status, 'done', error ?? '')
    const { chunks } = (await ask(url, `/api/documents/${id}/chunks`)).body
    t.deepEqual(
      chunks.map((chunk: { chunk_index: number }) => chunk.chunk_index),
      Array.from({ length: count }, (_, index) => index),
    )
    const found = await ask(url, '/api/memory/recall', { query: 'crane number 987' })
    t.true(found.body.results.some((row: { content: string }) => row.content.includes('number 987 ')))
  }),
)

test(
  'an import without room is refused with 507, leaves nothing, and succeeds once there is room',
  whereLimits(async t => {
    const workspace = temporaryWorkspace(t)
    const daemon = spawnDaemon(t, workspace, none)
    const { url } = await daemon.ready()
    const pid = daemon.child.pid as number
    const files = { 'crane.md': 'The harbour crane is red.', 'quay.md': 'The quay is long.' }
    limitFiles(pid, '0')
    const refused = await upload({ url }, files)
    t.like(refused, { status: 507, body: { code: 'insufficient_storage' } })
    limitFiles(pid, 'unlimited')
    await until(async () => (await ask(url, '/health/ready')).status === 200)
    t.deepEqual((await ask(url, '/api/sources')).body.sources, [])
    t.deepEqual(readdirSync(workspacePaths(workspace).uploads), [])
    t.like((await upload({ url }, files)).body, { imported: 2, failed: 0 })
  }),
)
