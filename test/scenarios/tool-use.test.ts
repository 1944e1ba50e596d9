// runs: in turn

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { capture } from '../helpers/captures.js'
import { startDaemon, type TestDaemon } from '../helpers/daemon.js'
import { onPostgres } from '../helpers/postgres.js'
import { openRaw } from '../helpers/store.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'
import { importText } from '../helpers/transcript-imports.js'

const lines = (all: readonly object[]) => all.map(line => `${JSON.stringify(line)}\n`).join('')

/** A log of Claude Code: a session that edits, and whose tests fail, pass and fail again. */
function claudeLog(
  cwd: string,
  runs: readonly { at: string; command: string; ok: boolean; output: string }[],
) {
  const base = { sessionId: 's1', cwd, isSidechain: false }
  const said = (type: 'user' | 'assistant', at: string, content: unknown) => ({
    ...base,
    type,
    timestamp: at,
    message: { role: type, content },
  })
  return lines([
    said('user', '2026-01-01T10:00:00.000Z', 'make the port a setting'),
    said('assistant', '2026-01-01T10:00:01.000Z', [
      { type: 'tool_use', id: 'e1', name: 'Edit', input: { file_path: join(cwd, 'src/server.ts') } },
      { type: 'tool_use', id: 'r1', name: 'Read', input: { file_path: join(cwd, 'package.json') } },
    ]),
    said('user', '2026-01-01T10:00:02.000Z', [
      { type: 'tool_result', tool_use_id: 'e1', content: 'done' },
      { type: 'tool_result', tool_use_id: 'r1', content: '{}' },
    ]),
    ...runs.flatMap(({ at, command, ok, output }, index) => [
      said('assistant', at, [{ type: 'tool_use', id: `b${index}`, name: 'Bash', input: { command } }]),
      said('user', at, [{ type: 'tool_result', tool_use_id: `b${index}`, is_error: !ok, content: output }]),
    ]),
    said('assistant', '2026-01-01T10:09:00.000Z', [{ type: 'text', text: 'The port is a setting now.' }]),
  ])
}

async function capturedClaude(t: ExecutionContext, daemon: TestDaemon, project: string, text: string) {
  const folder = join(process.env.CLAUDE_CONFIG_DIR ?? temporaryFolder(t, 'claude'), 'projects', 'p')
  mkdirSync(folder, { recursive: true })
  const transcriptPath = join(folder, 's1.jsonl')
  writeFileSync(transcriptPath, text)
  await ended(t, daemon, { harness: 'claude-code', sessionKey: 's1', cwd: project, transcriptPath })
}

async function ended(
  t: ExecutionContext,
  daemon: TestDaemon,
  {
    transcriptPath,
    ...session
  }: { harness: string; sessionKey: string; cwd: string; transcriptPath: string },
) {
  await daemon.call('POST /api/hooks/session-start', { body: session })
  t.is((await capture(daemon, { ...session, transcriptPath })).status, 'completed')
}

const now = () => new Date('2026-01-01T12:00:00.000Z')
const day = '2026-01-01T10'
const failedRun = {
  at: `${day}:01:00.000Z`,
  command: 'npm test',
  ok: false,
  output: 'Exit code 1\n2 failed, 10 passed',
}
const passedRun = {
  at: `${day}:02:00.000Z`,
  command: 'npm test 2>&1 | tail -5',
  ok: true,
  output: '12 passed',
}
const commit = {
  at: `${day}:03:00.000Z`,
  command: 'git commit -am "port as a setting" && curl -H "Authorization: Bearer abcdefghijklmnopqrstuvwx"',
  ok: true,
  output: '[main 1a2b3c4] port as a setting\n 1 file changed',
}

test('Claude Code: what a session did, files touched, and no open issue once tests pass', async t => {
  const project = temporaryFolder(t, 'shop')
  const daemon = await startDaemon(t, { clock: now })
  await capturedClaude(t, daemon, project, claudeLog(project, [failedRun, passedRun, commit]))
  const { body } = await daemon.call('GET /api/sessions/:key/work', { params: { key: 's1' } })
  const [turn] = body.turns
  t.is(body.turns.length, 1)
  t.is(turn?.asked, 'make the port a setting')
  t.deepEqual(turn?.tools, [
    { name: 'Edit', uses: 1 },
    { name: 'Read', uses: 1 },
    { name: 'Bash', uses: 3 },
  ])
  t.deepEqual(turn?.files, [
    { path: join(project, 'src/server.ts'), changed: true },
    { path: join(project, 'package.json'), changed: false },
  ])
  t.deepEqual(
    turn?.tests.map(({ ok, counts }) => [ok, counts]),
    [
      [false, '2 failed, 10 passed'],
      [true, '12 passed'],
    ],
  )
  t.deepEqual(turn?.commits, ['1a2b3c4 port as a setting (main)'])
  t.is(turn?.failed, 1)
  t.true(
    turn?.commands.every(({ output }) => output === undefined),
    'names keeps no outputs',
  )
  t.false(JSON.stringify(body).includes('abcdefghijklmnopqrstuvwx'), 'secrets are redacted')
  t.deepEqual(body.failing, [])
  const file = join(project, 'src/server.ts')
  const touched = await daemon.call('GET /api/sessions/work', { query: { file } })
  t.deepEqual(
    touched.body.turns.map(({ sessionKey, changed, asked }) => [sessionKey, changed, asked]),
    [['s1', true, 'make the port a setting']],
  )
  const next = { harness: 'claude-code', sessionKey: 's2', cwd: project }
  const start = await daemon.call('POST /api/hooks/session-start', { body: next })
  t.false(JSON.stringify(start.body).includes('Tests that failed'))
})

test('only the next start of the project names tests that failed last, and full keeps ends of outputs', async t => {
  const project = temporaryFolder(t, 'shop')
  const daemon = await startDaemon(t, { clock: now, settings: { capture: { toolUse: 'full' } } })
  await capturedClaude(t, daemon, project, claudeLog(project, [passedRun, failedRun]))
  const { body } = await daemon.call('GET /api/sessions/:key/work', { params: { key: 's1' } })
  t.is(body.turns[0]?.commands.at(-1)?.output, 'Exit code 1\n2 failed, 10 passed')
  t.is(body.failing[0]?.command, 'npm test')
  const start = async (cwd: string, sessionKey: string) => {
    const body = { harness: 'claude-code', sessionKey, cwd }
    return String(
      ((await daemon.call('POST /api/hooks/session-start', { body })).body as { inject?: string }).inject,
    )
  }
  t.regex(
    await start(project, 's2'),
    /Tests that failed when they last ran here: `npm test` \([^)]*2 failed, 10 passed\)\./u,
  )
  t.notRegex(await start(temporaryFolder(t, 'other'), 's3'), /Tests that failed/u)
})

test('Codex: patches, exit codes and tests of a rollout', async t => {
  const project = temporaryFolder(t, 'relay')
  const daemon = await startDaemon(t, { clock: now })
  const home = temporaryFolder(t, 'codex')
  const item = (payload: object) => ({ timestamp: `${day}:00:00.000Z`, type: 'response_item', payload })
  const call = (id: string, command: string[]) =>
    item({ type: 'function_call', name: 'shell', call_id: id, arguments: JSON.stringify({ command }) })
  const output = (id: string, code: number, text: string) =>
    item({
      type: 'function_call_output',
      call_id: id,
      output: JSON.stringify({ output: text, metadata: { exit_code: code } }),
    })
  const text = lines([
    { timestamp: `${day}:00:00.000Z`, type: 'session_meta', payload: { id: 'c1', cwd: project } },
    item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'fix the relay' }] }),
    item({
      type: 'custom_tool_call',
      name: 'apply_patch',
      call_id: 'p1',
      input: '*** Begin Patch\n*** Update File: src/relay.go\n@@\n*** End Patch',
    }),
    item({ type: 'custom_tool_call_output', call_id: 'p1', output: 'Success' }),
    call('t1', ['bash', '-lc', 'go test ./...']),
    output('t1', 1, 'FAIL relay 0.1s'),
    item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'still red' }] }),
  ])
  const folder = join(home, 'sessions')
  mkdirSync(folder, { recursive: true })
  const transcriptPath = join(folder, 'rollout-c1.jsonl')
  writeFileSync(transcriptPath, text)
  await ended(t, daemon, { harness: 'codex', sessionKey: 'c1', cwd: project, transcriptPath })
  const { body } = await daemon.call('GET /api/sessions/:key/work', { params: { key: 'c1' } })
  t.deepEqual(body.turns[0]?.files, [{ path: join(project, 'src/relay.go'), changed: true }])
  t.deepEqual(body.turns[0]?.commands, [{ command: 'go test ./...', ok: false }])
  t.deepEqual(body.failing, [{ command: 'go test ./...', ok: false }])
})

test('toolUse: off and a project that opts out keep nothing', async t => {
  const project = temporaryFolder(t, 'quiet')
  const off = await startDaemon(t, { clock: now, settings: { capture: { toolUse: 'off' } } })
  await capturedClaude(t, off, project, claudeLog(project, [failedRun]))
  const { body } = await off.call('GET /api/sessions/:key/work', { params: { key: 's1' } })
  t.deepEqual(body.turns, [])
  const state = await off.call('GET /api/sessions/capture', { query: { cwd: project } })
  t.is(state.body.toolUse, 'off')
})

test('diagnostics say how many calls of hooks the rules of capture left out', async t => {
  const { call } = await startDaemon(t, { settings: { capture: { mode: 'off' } } })
  const report = async () => JSON.stringify((await call('GET /api/diagnostics', {})).body)
  t.notRegex(await report(), /left-out-hooks/u)
  const body = { harness: 'claude-code', sessionKey: 's1', cwd: temporaryFolder(t, 'client') }
  for (let calls = 0; calls < 3; calls++) await call('POST /api/hooks/session-start', { body })
  t.regex(await report(), /capture rules left out 3 calls of hooks in 90 days/u)
})

test('300 turns with 2,000 uses of tools take less than 3 MB', async t => {
  const project = temporaryFolder(t, 'busy')
  const daemon = await startDaemon(t, { clock: now })
  const text: object[] = []
  for (let turn = 0; turn < 300; turn++) {
    const base = { sessionId: 's1', cwd: project, timestamp: `${day}:00:00.000Z` }
    text.push({
      ...base,
      type: 'user',
      message: { role: 'user', content: `please change part ${turn} of the server` },
    })
    for (let use = 0; use < 7; use++) {
      const id = `u${turn}-${use}`
      const bash = { name: 'Bash', input: { command: `npm run build -- --part ${turn} --step ${use}` } }
      const edit = { name: 'Edit', input: { file_path: join(project, `src/part-${turn}/file-${use}.ts`) } }
      text.push(
        {
          ...base,
          type: 'assistant',
          message: { role: 'assistant', content: [{ type: 'tool_use', id, ...(use % 2 ? bash : edit) }] },
        },
        {
          ...base,
          type: 'user',
          message: {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: id, content: 'x'.repeat(2000) }],
          },
        },
      )
    }
  }
  await capturedClaude(t, daemon, project, lines(text))
  const { body } = await daemon.call('GET /api/sessions/:key/work', {
    params: { key: 's1' },
    query: { limit: '500' },
  })
  t.is(body.turns.length, 300)
  const stored = Buffer.byteLength(JSON.stringify(body))
  t.log(`${stored} bytes of turns`)
  t.true(stored < 1_500_000)
  // Pages of a server's tables are counted otherwise.
  if (onPostgres) return
  await daemon.stop()
  const raw = openRaw(t, daemon.paths.database)
  const pages = raw
    .prepare(
      "SELECT sum(pgsize) AS bytes FROM dbstat WHERE name LIKE '%session_turns%' OR name LIKE '%session_files%'",
    )
    .get() as { bytes: number }
  raw.close()
  t.log(`${pages.bytes} bytes in the database, with indexes`)
  t.true(pages.bytes > stored / 2)
  t.true(pages.bytes < 3_000_000)
})

test('imported logs have their tools too, and an import that is taken back removes them', async t => {
  const daemon = await startDaemon(t, { clock: now })
  const said = (id: string, message: object) => ({
    type: 'message',
    id,
    timestamp: `${day}:00:00.000Z`,
    message,
  })
  const call = (id: string, name: string, given: object) =>
    said(`a-${id}`, { role: 'assistant', content: [{ type: 'toolCall', id, name, arguments: given }] })
  const result = (id: string, text: string, isError: boolean) =>
    said(`r-${id}`, { role: 'toolResult', toolCallId: id, content: [{ type: 'text', text }], isError })
  const cwd = temporaryFolder(t, 'pi')
  const text = lines([
    { type: 'session', version: 3, id: 'p1', cwd },
    said('u1', { role: 'user', content: 'mend the queue' }),
    call('t1', 'edit', { path: 'src/queue.ts' }),
    result('t1', 'done', false),
    call('t2', 'bash', { command: 'npm test' }),
    result('t2', '1 failed', true),
    said('a1', { role: 'assistant', content: [{ type: 'text', text: 'It is not mended yet.' }] }),
  ])
  const { sourceId } = await importText(daemon, { text, adapter: { adapter: 'pi' } })
  const work = async (key: string) =>
    (await daemon.call('GET /api/sessions/:key/work', { params: { key } })).body
  const { turns, failing } = await work('p1')
  t.deepEqual(turns[0]?.files, [{ path: join(cwd, 'src/queue.ts'), changed: true }])
  t.deepEqual(turns[0]?.commands, [{ command: 'npm test', ok: false }])
  t.deepEqual(failing, [{ command: 'npm test', ok: false, counts: '1 failed' }])
  const start = await daemon.call('POST /api/hooks/session-start', {
    body: { harness: 'claude-code', sessionKey: 's2', cwd },
  })
  t.regex(JSON.stringify(start.body), /Tests that failed when they last ran here: `npm test`/u)
  const recorded = new URL('../fixtures/transcripts/opencode-1.18.33.json', import.meta.url)
  const session = JSON.stringify(JSON.parse(readFileSync(recorded, 'utf8')))
  await importText(daemon, { text: session, adapter: { adapter: 'opencode' } })
  const openCode = await work('ses_dfbf31ca2ffexPZgou3ydKNmji')
  t.deepEqual(
    openCode.turns.map(({ tools }) => tools),
    [[{ name: 'memory_memory_store', uses: 1 }], [{ name: 'memory_memory_search', uses: 1 }]],
  )
  await daemon.call('DELETE /api/sources/:sourceId', { params: { sourceId: sourceId ?? '' } })
  t.deepEqual((await work('p1')).turns, [])
})
