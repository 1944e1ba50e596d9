// runs: in turn

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { noteToolUse } from '../../src/hook/tool-use.js'
import { maxQueueBytes } from '../../src/lib/files/tool-queue-files.js'
import { capture } from '../helpers/captures.js'
import { startDaemon, type TestDaemon } from '../helpers/daemon.js'
import { until } from '../helpers/daemon-process.js'
import { onPostgres } from '../helpers/postgres.js'
import { openRaw } from '../helpers/store.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

type Fields = Record<string, unknown>

/** The hooks of a session of an agent. */
function sessionOf(daemon: TestDaemon, harness: string, session_id: string, cwd: string) {
  const base = { harness, sessionKey: session_id, cwd }
  return {
    start: async () => {
      const { body } = await daemon.call('POST /api/hooks/session-start', { body: base })
      return String((body as { inject?: string }).inject)
    },
    ask: (userMessage: string) =>
      daemon.call('POST /api/hooks/user-prompt-submit', { body: { ...base, userMessage } }),
    use: (tool_name: string, tool_input: Fields, tool_response: unknown, more: Fields = {}) =>
      noteToolUse(
        { session_id, cwd, hook_event_name: 'PostToolUse', tool_name, tool_input, tool_response, ...more },
        daemon.paths.root,
      ),
    work: async () =>
      (await daemon.call('GET /api/sessions/:key/work', { params: { key: session_id } })).body,
    stop: () => daemon.call('POST /api/hooks/session-checkpoint-extract', { body: base }),
    end: () => daemon.call('POST /api/hooks/session-end', { body: { ...base, reason: 'other' } }),
  }
}

/** A start does not wait for its permit; in a real session its first prompt does. */
const permitted = (daemon: TestDaemon, key: string) =>
  until(async () => existsSync(join(daemon.paths.toolQueue, `${key}.json`)) || undefined)

const queued = (daemon: TestDaemon) =>
  existsSync(daemon.paths.toolQueue) ? readdirSync(daemon.paths.toolQueue) : []

test('a file of another program in the queue stops nothing', async t => {
  const project = temporaryFolder(t, 'shop')
  const daemon = await startDaemon(t)
  const agent = sessionOf(daemon, 'droid', 'd0', project)
  await agent.start()
  await permitted(daemon, 'd0')
  writeFileSync(join(daemon.paths.toolQueue, '%.json'), '{}')
  await agent.ask('make the port a setting')
  agent.use('Execute', { command: 'npm test' }, 'Exit code 1\n2 failed, 10 passed')
  t.is((await agent.work()).failing.length, 1)
  t.regex(await sessionOf(daemon, 'claude-code', 'n0', project).start(), /npm test/u)
})

test('an agent whose log is not read: edits, failed tests, passed tests, and the next start', async t => {
  const project = temporaryFolder(t, 'shop')
  const daemon = await startDaemon(t)
  const agent = sessionOf(daemon, 'droid', 'd1', project)
  await agent.start()
  await agent.ask('make the port a setting, token ghp_abcdefghijklmnopqrstuvwxyz0123456789')
  agent.use('Edit', { file_path: join(project, 'src/server.ts'), old_str: 'a', new_str: 'b' }, 'done')
  agent.use('Read', { file_path: 'package.json' }, '{}')
  agent.use('Execute', { command: 'npm test' }, 'Exit code 1\n2 failed, 10 passed')
  const other = () => sessionOf(daemon, 'claude-code', `n${Math.random()}`, project).start()
  t.notRegex(await other(), /Tests that failed/u, 'a start reads no queue')
  await agent.stop()
  t.regex(
    await other(),
    /Tests that failed when they last ran here: `npm test` \([^)]*2 failed, 10 passed\)/u,
  )
  await agent.ask('run them again')
  const secret = 'curl -H "Authorization: Bearer abcdefghijklmnopqrstuvwx" && git commit -am "port"'
  agent.use('Execute', { command: 'npm test 2>&1 | tail -5' }, '12 passed')
  agent.use('Execute', { command: secret }, '[main 1a2b3c4] port\n 1 file changed')
  const { turns, failing } = await agent.work()
  t.deepEqual(failing, [])
  t.notRegex(await other(), /Tests that failed/u)
  t.is(turns.length, 2, 'one row a turn')
  t.regex(turns[0]?.asked ?? '', /^make the port a setting, token \[secret\]/u)
  t.deepEqual(turns[0]?.files, [
    { path: join(project, 'src/server.ts'), changed: true },
    { path: join(project, 'package.json'), changed: false },
  ])
  t.deepEqual(turns[0]?.tools, [
    { name: 'Edit', uses: 1 },
    { name: 'Read', uses: 1 },
    { name: 'Execute', uses: 1 },
  ])
  t.is(turns[1]?.asked, 'run them again')
  t.deepEqual(turns[1]?.commits, ['1a2b3c4 port (main)'])
  t.notRegex(JSON.stringify(turns), /abcdefghijklmnopqrstuvwx|ghp_/u)
  t.deepEqual(
    turns.flatMap(({ commands }) => commands.map(({ ok }) => ok ?? null)),
    [false, true, null],
    'tests say in their output how they ended',
  )
  t.true(
    turns[1]?.commands.every(({ output }) => output === undefined),
    'names keeps no outputs',
  )
  const file = join(project, 'src/server.ts')
  const touched = await daemon.call('GET /api/sessions/work', { query: { file } })
  t.deepEqual(
    touched.body.turns.map(({ sessionKey, changed }) => [sessionKey, changed]),
    [['d1', true]],
  )
  if (process.platform !== 'win32')
    for (const name of queued(daemon))
      t.is(statSync(join(daemon.paths.toolQueue, name)).mode & 0o777, 0o600, name)
  await agent.end()
  await agent.work()
  t.false(
    queued(daemon).some(name => name.startsWith('d1.')),
    'nothing is left in the queue',
  )
  t.is((await agent.work()).turns.length, 2)
  await agent.start()
  await agent.ask('one more thing')
  agent.use('Edit', { file_path: join(project, 'b.ts') }, 'done')
  t.deepEqual(
    (await agent.work()).turns.map(({ turn, asked }) => [turn, asked.slice(0, 13)]),
    [
      [0, 'make the port'],
      [1, 'run them agai'],
      [2, 'one more thin'],
    ],
    'a session that goes on after its end keeps its turns',
  )
})

test('the queue survives a daemon that is gone, and half lines are skipped', async t => {
  const project = temporaryFolder(t, 'shop')
  const first = await startDaemon(t)
  const running = sessionOf(first, 'droid', 'k1', project)
  await running.start()
  await running.ask('mend the queue')
  running.use('Execute', { command: 'ls' }, 'src')
  await running.work()
  await first.stop()
  running.use('Edit', { file_path: join(project, 'a.ts') }, 'done')
  appendFileSync(join(first.paths.toolQueue, 'k1.jsonl'), '\n{"t":1,"tool":"Ed')
  running.use('Execute', { command: 'npm test' }, '1 failed')
  const second = await startDaemon(t, { workspace: first.paths.root })
  const { turns, failing } = await sessionOf(second, 'droid', 'k1', project).work()
  t.is(turns.length, 1)
  t.deepEqual(turns[0]?.tools, [
    { name: 'Execute', uses: 2 },
    { name: 'Edit', uses: 1 },
  ])
  t.is(failing[0]?.command, 'npm test')
})

const line = (all: readonly object[]) => all.map(one => `${JSON.stringify(one)}\n`).join('')

test('uses that could not be stored are stored later, also when the session is over', async t => {
  const project = temporaryFolder(t, 'shop')
  const daemon = await startDaemon(t)
  const agent = sessionOf(daemon, 'droid', 'f1', project)
  await agent.start()
  await agent.ask('mend the port')
  agent.use('Edit', { file_path: join(project, 'a.ts') }, 'done')
  const { store } = daemon.daemon
  const { write } = store
  store.write = () => Promise.reject(new Error('the disk is full'))
  await agent.work()
  store.write = write
  await agent.end()
  t.deepEqual(
    (await agent.work()).turns.map(({ files }) => files),
    [[{ path: join(project, 'a.ts'), changed: true }]],
  )
})

test('a log replaces what hooks noted, and later uses continue its last turn', async t => {
  const project = temporaryFolder(t, 'shop')
  const daemon = await startDaemon(t)
  const agent = sessionOf(daemon, 'claude-code', 'c1', project)
  await agent.start()
  await agent.ask('rename the module')
  agent.use('Edit', { file_path: join(project, 'a.ts') }, {}, { tool_use_id: 'e1' })
  agent.use('Bash', { command: 'npm test' }, { stdout: '1 failed' }, { tool_use_id: 'b1' })
  t.is((await agent.work()).turns[0]?.tools.length, 2)
  const said = (type: string, content: unknown) => ({
    sessionId: 'c1',
    cwd: project,
    type,
    timestamp: new Date().toISOString(),
    message: { role: type, content },
  })
  const used = (id: string, name: string, input: object) =>
    said('assistant', [{ type: 'tool_use', id, name, input }])
  const ended = (id: string, content: string) =>
    said('user', [{ type: 'tool_result', tool_use_id: id, content }])
  const log = [
    said('user', 'rename the module'),
    used('e1', 'Edit', { file_path: join(project, 'a.ts') }),
    ended('e1', 'done'),
    used('b1', 'Bash', { command: 'npm test' }),
    ended('b1', '1 failed'),
    used('b2', 'Bash', { command: 'npm test' }),
  ]
  const folder = join(process.env.CLAUDE_CONFIG_DIR ?? temporaryFolder(t, 'claude'), 'projects', 'p')
  mkdirSync(folder, { recursive: true })
  const transcriptPath = join(folder, 'c1.jsonl')
  writeFileSync(transcriptPath, line(log))
  const session = { harness: 'claude-code', sessionKey: 'c1', cwd: project, transcriptPath }
  t.is((await capture(daemon, session)).status, 'completed')
  await daemon.call('POST /api/hooks/session-start', { body: { ...session, source: 'resume' } })
  agent.use('Bash', { command: 'npm test' }, { stdout: '12 passed' }, { tool_use_id: 'b2' })
  const read = async () => (await agent.work()).turns[0]?.commands.map(({ command }) => command)
  t.deepEqual(await read(), ['npm test', 'npm test'])
  agent.use('Read', { file_path: join(project, 'b.ts') }, {}, { tool_use_id: 'r1' })
  t.deepEqual(await read(), ['npm test', 'npm test'], 'a second read repeats no command')
  await agent.ask('and now the docs')
  agent.use('Edit', { file_path: join(project, 'docs.md') }, {}, { tool_use_id: 'e2' })
  const { turns, failing } = await agent.work()
  t.deepEqual(
    turns.map(({ turn, asked, tools }) => [turn, asked, tools.map(({ name, uses }) => `${name} ${uses}`)]),
    [
      [0, 'rename the module', ['Edit 1', 'Bash 2', 'Read 1']],
      [1, 'and now the docs', ['Edit 1']],
    ],
  )
  t.deepEqual(failing, [])
  t.is(turns[0]?.tests.length, 2)
})

test('how commands ended is kept where the log does not say it, and after the log is read again', async t => {
  const project = temporaryFolder(t, 'shop')
  const daemon = await startDaemon(t)
  const agent = sessionOf(daemon, 'cursor', 'u1', project)
  const commit = 'git commit -am port'
  const said = (role: string, content: readonly object[]) => ({ role, message: { content } })
  const asked = (text: string) =>
    said('user', [{ type: 'text', text: `<user_query>\n${text}\n</user_query>` }])
  const ran = (command: string) =>
    said('assistant', [
      { type: 'text', text: 'I run it.' },
      { type: 'tool_use', name: 'Shell', input: { command } },
    ])
  const run = (command: string, exitCode: number, stdout: string) =>
    agent.use('Shell', { command }, undefined, { tool_output: JSON.stringify({ exitCode, stdout }) })
  const transcriptPath = join(temporaryFolder(t, 'cursor'), 'u1.jsonl')
  await agent.start()
  await agent.ask('look around')
  run('ls', 0, 'src')
  await agent.ask('make the port a setting')
  run('npm test', 1, '2 failed')
  run(commit, 0, '[main 1a2b3c4] port')
  await agent.ask('again')
  run('npm test', 0, '12 passed')
  const log = [
    ...[asked('look around'), ran('ls'), asked('make the port a setting'), ran('npm test'), ran(commit)],
    ...[asked('again'), ran('npm test'), ran('pwd')],
  ]
  const session = { harness: 'cursor', sessionKey: 'u1', cwd: project, transcriptPath }
  for (const more of [[], [asked('thanks'), ran('date')]]) {
    log.push(...more)
    writeFileSync(transcriptPath, line(log))
    t.is((await capture(daemon, session)).status, 'completed')
    const { turns, failing } = await agent.work()
    t.deepEqual(
      turns.slice(0, 3).map(({ commands }) => commands),
      [
        [{ command: 'ls', ok: true }],
        [
          { command: 'npm test', ok: false },
          { command: commit, ok: true },
        ],
        [{ command: 'npm test', ok: true }, { command: 'pwd' }],
      ],
    )
    t.deepEqual([turns[1]?.tests[0]?.ok, turns[2]?.tests[0]?.ok, failing.length], [false, true, 0])
    t.deepEqual([turns[1]?.failed, turns[1]?.commits], [1, ['1a2b3c4 port (main)']])
    await agent.start()
  }
})

test('a session that is left out leaves nothing in the queue, and rules end the noting of running ones', async t => {
  const client = temporaryFolder(t, 'client')
  const shop = temporaryFolder(t, 'shop')
  const quiet = temporaryFolder(t, 'quiet')
  writeFileSync(join(quiet, '.memory.yaml'), 'capture: off\n')
  const rules = [{ exclude: { folder: client } }]
  const daemon = await startDaemon(t, { settings: { capture: { rules } } })
  for (const [key, cwd] of [
    ['x1', client],
    ['x2', quiet],
  ] as const) {
    const agent = sessionOf(daemon, 'droid', key, cwd)
    await agent.start()
    await agent.ask('secret work')
    agent.use('Execute', { command: 'ls' }, '')
    t.deepEqual((await agent.work()).turns, [])
  }
  t.deepEqual(queued(daemon), [])
  const shopping = sessionOf(daemon, 'droid', 's1', shop)
  await shopping.start()
  await permitted(daemon, 's1')
  shopping.use('Execute', { command: 'ls' }, '', { cwd: client })
  shopping.use('Execute', { command: 'pwd' }, '')
  t.notRegex(readFileSync(join(daemon.paths.toolQueue, 's1.jsonl'), 'utf8'), /client|"ls"/u)
  t.deepEqual(
    (await shopping.work()).turns[0]?.commands.map(({ command }) => command),
    ['pwd'],
  )
  daemon.daemon.changeSettings({ 'capture.rules': [{ exclude: { folder: shop } }] })
  shopping.use('Execute', { command: 'id' }, '')
  t.is((await shopping.work()).turns[0]?.commands.length, 1)
  t.deepEqual(queued(daemon), [])
})

test('without rules a folder that speaks of capture is skipped, and toolUse: off permits nothing', async t => {
  const shop = temporaryFolder(t, 'shop')
  const inner = join(shop, 'inner')
  const plain = join(shop, 'plain')
  mkdirSync(inner)
  mkdirSync(plain)
  writeFileSync(join(inner, '.memory.yaml'), 'capture: off\n')
  const daemon = await startDaemon(t)
  const agent = sessionOf(daemon, 'droid', 's1', shop)
  await agent.start()
  await permitted(daemon, 's1')
  agent.use('Execute', { command: 'ls inner' }, '', { cwd: inner })
  agent.use('Edit', { file_path: 'a.ts' }, '', { cwd: plain })
  const { turns } = await agent.work()
  t.deepEqual(turns[0]?.files, [{ path: join(plain, 'a.ts'), changed: true }])
  t.deepEqual(turns[0]?.commands, [])
  await daemon.call('POST /api/sessions/:key/bypass', { params: { key: 's1' }, body: { enabled: true } })
  t.deepEqual(queued(daemon), [])
  daemon.daemon.changeSettings({ 'capture.toolUse': 'off' })
  await sessionOf(daemon, 'droid', 's2', shop).start()
  t.deepEqual(queued(daemon), [])
})

test('diagnostics name a full queue, which takes no more lines', async t => {
  const daemon = await startDaemon(t)
  const agent = sessionOf(daemon, 'droid', 'f1', temporaryFolder(t, 'shop'))
  await agent.start()
  await permitted(daemon, 'f1')
  const file = join(daemon.paths.toolQueue, 'f1.jsonl')
  appendFileSync(file, `\n${' '.repeat(maxQueueBytes)}`)
  const { size } = statSync(file)
  agent.use('Execute', { command: 'ls' }, '')
  t.is(statSync(file).size, size)
  const { body } = await daemon.call('GET /api/diagnostics', {})
  t.regex(JSON.stringify(body), /1 session noted more uses of tools than the queue takes/u)
})

test('300 turns with 2,000 uses of tools take less than 3 MB by hooks', async t => {
  const project = temporaryFolder(t, 'busy')
  const daemon = await startDaemon(t)
  const agent = sessionOf(daemon, 'droid', 'b1', project)
  await agent.start()
  const output = 'x'.repeat(2000)
  for (let turn = 0; turn < 300; turn++) {
    await agent.ask(`please change part ${turn} of the server`)
    for (let n = 0; n < 7; n++)
      if (n % 2) agent.use('Execute', { command: `npm run build -- --part ${turn} --step ${n}` }, output)
      else agent.use('Edit', { file_path: join(project, `src/part-${turn}/file-${n}.ts`) }, output)
  }
  const queue = statSync(join(daemon.paths.toolQueue, 'b1.jsonl')).size
  const started = performance.now()
  const { body } = await daemon.call('GET /api/sessions/:key/work', {
    params: { key: 'b1' },
    query: { limit: '500' },
  })
  t.log(`merged in ${Math.round(performance.now() - started)} ms`)
  t.is(body.turns.length, 300)
  t.is(
    body.turns.flatMap(({ tools }) => tools).reduce((sum, { uses }) => sum + uses, 0),
    2100,
  )
  t.log(`${queue} bytes in the queue while the session runs`)
  if (onPostgres) return
  await daemon.stop()
  const raw = openRaw(t, daemon.paths.database)
  const { bytes } = raw
    .prepare(
      "SELECT sum(pgsize) AS bytes FROM dbstat WHERE name LIKE '%session_turns%' OR name LIKE '%session_files%'",
    )
    .get() as { bytes: number }
  raw.close()
  t.log(`${bytes} bytes in the database, with indexes`)
  t.true(queue + bytes < 3_000_000)
})
