// runs: in turn

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import type { TaskEvent } from '../../../src/contract/agents/tasks.js'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { emptyFolder, fakeProgram } from '../../helpers/fake-program.js'
import { putSkill } from '../../helpers/skills.js'
import {
  endedRun,
  fakeClaude,
  followTask,
  makeTask,
  runToEnd,
  succeed,
  successLines,
} from '../../helpers/tasks.js'

test('a task runs its harness with the prompt on standard input and stores the output (tasks.md 4.8)', async t => {
  const { environment, calls } = fakeClaude(t, `${succeed}\nconsole.error('beside')`)
  const marked = { CLAUDECODE: '1', CLAUDE_CODE_ENTRYPOINT: 'cli', SERVICE_API_KEY: 'mine', ACCOUNT: 'kept' }
  const daemon = await startDaemon(t, { environment: { ...environment, ...marked } })
  const prompt = `--help "$(touch x)" \`id\` "&calc\nsecond line; rm -rf *\n${'é long '.repeat(3000)}`
  const { id } = await makeTask(daemon, { prompt })
  const run = await runToEnd(daemon, id)
  t.like(run, {
    taskId: id,
    trigger: 'manual',
    status: 'completed',
    exitCode: 0,
    error: null,
    outputTruncated: false,
  })
  t.regex(run.output, /"type":"result"/u)
  t.regex(run.output, /beside/u)
  const [call, ...more] = calls()
  t.deepEqual(more, [])
  t.deepEqual(call?.args, [
    ...['-p', '--dangerously-skip-permissions', '--output-format', 'stream-json', '--verbose'],
  ])
  t.true(Buffer.byteLength(prompt) > 20 * 1024)
  t.is(call?.input, prompt)
  t.is(call?.cwd, daemon.paths.root)
  t.like(call?.env, { SERVICE_NO_HOOKS: '1', SERVICE_WORKSPACE: daemon.paths.root, ACCOUNT: 'kept' })
  for (const name of ['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'SERVICE_API_KEY'])
    t.false(name in (call?.env ?? {}))
  const { task, runs } = (await daemon.call('GET /api/tasks/:id', { params: { id } })).body
  t.like(task, { lastRunStatus: 'completed', lastRunAt: run.startedAt })
  t.deepEqual(runs, [run])
})

test('each harness has its own command line (tasks.md 4.8)', async t => {
  const codex = fakeProgram(t, 'codex', `console.log('${JSON.stringify(successLines.codex)}')`, {
    readsInput: true,
  })
  const opencode = fakeProgram(
    t,
    'opencode',
    `console.log(input); console.log('${JSON.stringify(successLines.opencode)}')`,
    { readsInput: true },
  )
  const PATH = `${codex.path}:${opencode.path}`
  const daemon = await startDaemon(t, { environment: { ...process.env, PATH } })
  const workingDirectory = emptyFolder(t)
  const run = async (harness: 'harness_b' | 'harness_c') => {
    const prompt = '-v "in quotes"'
    return runToEnd(daemon, (await makeTask(daemon, { harness, workingDirectory, prompt })).id)
  }
  t.is((await run('harness_b')).status, 'completed')
  t.deepEqual(codex.calls()[0]?.args, ['exec', '--json', '--skip-git-repo-check', '-'])
  t.is(codex.calls()[0]?.input, '-v "in quotes"')
  t.is(codex.calls()[0]?.cwd, workingDirectory)
  const { status, output } = await run('harness_c')
  t.is(status, 'completed')
  t.true(output.startsWith('-v "in quotes"\n'))
  t.deepEqual(opencode.calls()[0]?.args, ['run', '--format', 'json'])
})

test('a run succeeds when its harness reports success and exits with 0; the exit code alone is not enough (tasks.md 4.8)', async t => {
  const line = (fields: object) =>
    `console.log(${JSON.stringify(JSON.stringify({ ...successLines.claude, ...fields }))})`
  const programs: [code: string, error: RegExp][] = [
    [`${succeed}\nprocess.exit(1)`, /reported success but exited with code 1/u],
    [line({ is_error: true, result: 'no credit left' }), /Claude Code failed: no credit left/u],
    [line({ num_turns: 0 }), /Claude Code failed/u],
    ['', /exited with code 0 and reported no result/u],
    [
      'console.error("first\\nnot as root"); process.exit(3)',
      /exited with code 3 and reported no result: not as root$/u,
    ],
    ['process.kill(process.pid, "SIGKILL")', /exited with code 137 and reported no result/u],
  ]
  for (const [code, error] of programs) {
    const daemon = await startDaemon(t, { environment: fakeClaude(t, code).environment })
    const run = await runToEnd(daemon, (await makeTask(daemon)).id)
    t.is(run.status, 'failed', code)
    t.regex(run.error ?? '', error)
  }
})

test('a program that prints text instead of events is judged by its exit code (tasks.md 4.8)', async t => {
  const { environment } = fakeClaude(t, 'eval(input)')
  const daemon = await startDaemon(t, { environment })
  for (const [prompt, status] of [
    ['console.log("done\\nwith it")', 'completed'],
    ['console.log("could not"); process.exit(2)', 'failed'],
    // Events without a result mean that the agent was interrupted.
    ['console.log("text"); console.log(JSON.stringify({ type: "system", subtype: "init" }))', 'failed'],
  ] as const) {
    const run = await runToEnd(daemon, (await makeTask(daemon, { prompt })).id)
    t.is(run.status, status, prompt)
    t.is(run.error === null, status === 'completed')
  }
})

test('a missing program, folder or skill fails the run and says what to do (tasks.md 7)', async t => {
  const [PATH, workingDirectory] = [emptyFolder(t), emptyFolder(t)]
  const daemon = await startDaemon(t, { environment: { PATH } })
  const { id } = await makeTask(daemon, { workingDirectory })
  const missing = await runToEnd(daemon, id)
  t.like(missing, { status: 'failed', exitCode: null, output: '' })
  t.regex(missing.error ?? '', /claude is not on the PATH of the daemon; install Claude Code/u)
  rmSync(workingDirectory, { recursive: true })
  t.regex((await runToEnd(daemon, id)).error ?? '', /working directory ".*" does not exist/u)
  // A task with an invalid folder can still be disabled.
  t.is((await daemon.call('PATCH /api/tasks/:id', { params: { id }, body: { enabled: false } })).status, 200)
  putSkill(daemon.paths, 'tidy')
  const { id: skilled } = await makeTask(daemon, { skill: 'tidy' })
  rmSync(join(daemon.paths.skills, 'tidy'), { recursive: true })
  t.regex((await runToEnd(daemon, skilled)).error ?? '', /skill "tidy" not found/u)
})

test('a skill precedes the prompt, or is called by its name (tasks.md 4.8)', async t => {
  const { environment, calls } = fakeClaude(t, succeed)
  const daemon = await startDaemon(t, { environment })
  putSkill(daemon.paths, 'tidy')
  for (const skill of ['tidy', { name: 'tidy', mode: 'slash' }] as const)
    await runToEnd(daemon, (await makeTask(daemon, { skill })).id)
  const [injected = '', called = ''] = calls().map(({ input }) => input)
  t.regex(injected, /^Follow this skill[\s\S]*<skill name="tidy">[\s\S]*<\/skill>\n\ntidy up$/u)
  t.is(called, '/tidy tidy up')
})

test('a running task cannot be started again (tasks.md 4.8)', async t => {
  const folder = emptyFolder(t)
  const { environment, calls } = fakeClaude(
    t,
    `const end = setInterval(() => require('node:fs').existsSync(${JSON.stringify(join(folder, 'go'))}) && (clearInterval(end), ${succeed}), 20)`,
  )
  let now = new Date('2026-11-20T08:30:00Z')
  const daemon = await startDaemon(t, { environment, clock: () => now })
  const { id } = await makeTask(daemon, { cronExpression: '* * * * *' })
  const params = { id }
  const { status, body } = await daemon.call('POST /api/tasks/:id/run', { params })
  t.is(status, 202)
  t.is(body.status, 'running')
  const again = await daemon.call('POST /api/tasks/:id/run', { params })
  t.is(again.status, 409)
  t.like(again.body, { code: 'already_running', status: 'already_running', runId: body.runId } as object)
  now = new Date('2026-11-20T08:31:10Z')
  // Every change of a task runs the scheduler.
  await daemon.call('PATCH /api/tasks/:id', { params, body: { name: 'other' } })
  t.is((await daemon.call('GET /api/tasks/:id/runs', { params })).body.total, 1)
  t.is((await daemon.call('GET /api/tasks/:id', { params })).body.task.nextRunAt, '2026-11-20T08:32:00.000Z')
  writeFileSync(join(folder, 'go'), '')
  t.is((await endedRun(daemon, id)).status, 'completed')
  t.is(calls().length, 1)
})

test('a run past its time limit is asked to end and then killed, with all of its processes (tasks.md 3.4)', async t => {
  const folder = emptyFolder(t)
  const [pids, ticking] = [join(folder, 'pids'), 'setInterval(() => {}, 1000)']
  const deaf = `process.on('SIGTERM', () => {}); require('node:fs').appendFileSync(${JSON.stringify(pids)}, process.pid + '\\n'); ${ticking}`
  const { environment } = fakeClaude(
    t,
    `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(deaf)}], { stdio: 'inherit' }); ${deaf}`,
  )
  const daemon = await startDaemon(t, { environment, settings: { tasks: { runtimeLimitMs: 4000 } } })
  const run = await runToEnd(daemon, (await makeTask(daemon)).id)
  t.like(run, { status: 'timeout', exitCode: 124 })
  t.regex(run.error ?? '', /ended after 4000 ms, the runtime limit/u)
  const started = readFileSync(pids, 'utf8').trim().split('\n').map(Number)
  t.is(started.length, 2)
  await until(() => !started.some(isThere))
  await until(() => !existsSync(join(daemon.paths.children, String(started[0]))))
})

test('readers see a run from its beginning while it continues, and can read the stream afterwards (tasks.md 4.8)', async t => {
  const folder = emptyFolder(t)
  const { environment } = fakeClaude(
    t,
    `console.log('one'); const end = setInterval(() => require('node:fs').existsSync(${JSON.stringify(join(folder, 'go'))}) && (clearInterval(end), console.log('two'), ${succeed}), 20)`,
  )
  const daemon = await startDaemon(t, { environment })
  const { id } = await makeTask(daemon)
  const early = await followTask(t, daemon.url, id)
  await until(() => early.names.length === 1)
  const { body } = await daemon.call('POST /api/tasks/:id/run', { params: { id } })
  await until(() => textOf(early.events) === 'one\n')
  const late = await followTask(t, daemon.url, id)
  await until(() => textOf(late.events) === 'one\n')
  writeFileSync(join(folder, 'go'), '')
  for (const reader of [early, late]) {
    await until(() => reader.names.includes('run-completed'))
    t.deepEqual([...new Set(reader.names)], ['connected', 'run-started', 'run-output', 'run-completed'])
    t.deepEqual(reader.events[0], { type: 'connected', taskId: id })
    t.like(reader.events.at(-1), { run: { id: body.runId, status: 'completed', exitCode: 0 } } as object)
    t.is(textOf(reader.events), (await endedRun(daemon, id)).output)
  }
  await runToEnd(daemon, id)
  await until(() => early.names.filter(name => name === 'run-completed').length === 2)
  await daemon.call('DELETE /api/tasks/:id', { params: { id } })
  await early.ended
})

test('a running run shows its output so far (tasks.md#runs)', async t => {
  const { environment } = fakeClaude(t, `console.log('one'); setInterval(() => {}, 1000)`)
  const daemon = await startDaemon(t, { environment })
  const params = { id: (await makeTask(daemon)).id }
  await daemon.call('POST /api/tasks/:id/run', { params })
  const [run] = await until(async () => {
    const { runs } = (await daemon.call('GET /api/tasks/:id/runs', { params })).body
    return runs[0]?.output ? runs : undefined
  })
  t.like(run, { status: 'running', output: 'one\n', outputTruncated: false, completedAt: null })
  t.like((await daemon.call('GET /api/tasks/:id', { params })).body.runs[0], { output: 'one\n' })
})

test('removing a task removes its runs (tasks.md 4.8)', async t => {
  const { environment, calls } = fakeClaude(t, 'setInterval(() => {}, 1000)')
  const daemon = await startDaemon(t, { environment })
  const { id } = await makeTask(daemon)
  await daemon.call('POST /api/tasks/:id/run', { params: { id } })
  await until(() => calls().length === 1)
  await daemon.call('DELETE /api/tasks/:id', { params: { id } })
  await until(() => readdirSync(daemon.paths.children).length === 0)
  t.is((await daemon.call('GET /api/tasks')).body.count, 0)
})

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function textOf(events: readonly TaskEvent[]): string {
  return events.map(event => (event.type === 'run-output' ? event.data : '')).join('')
}
