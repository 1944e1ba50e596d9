// runs: in turn

import test from 'ava'
import { fakeAcpAgent } from '../../helpers/acp-agent.js'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { emptyFolder } from '../../helpers/fake-program.js'
import { endedRun, makeTask, runToEnd } from '../../helpers/tasks.js'

const acp = { command: 'heron-agent --mode "two words"' }

async function startWith(
  t: Parameters<typeof fakeAcpAgent>[0] & Parameters<typeof startDaemon>[0],
  turn: string,
  options?: Parameters<typeof fakeAcpAgent>[2],
) {
  const { path: PATH, calls } = fakeAcpAgent(t, turn, options)
  const settings = { tasks: { runtimeLimitMs: 20_000 } }
  const daemon = await startDaemon(t, { environment: { ...process.env, PATH }, settings })
  return { daemon, calls }
}

test('an agent gets prompt, folder and memory over ACP, and its answer is the output (tasks.md#any-agent-over-acp)', async t => {
  const { daemon, calls } = await startWith(
    t,
    `await update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'thinking' } })
     await say('I look. ')
     await update({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'read\\na.txt', kind: 'read', status: 'pending' })
     await update({ sessionUpdate: 'of_tomorrow', anything: 1 })
     await say(JSON.stringify({ text, session }))
     console.error('beside')
     return { stopReason: 'end_turn' }`,
  )
  const workingDirectory = emptyFolder(t)
  const prompt = '--help "$(touch x)"\nsecond line é'
  const task = await makeTask(daemon, { harness: 'acp', acp, workingDirectory, prompt })
  t.deepEqual(task.acp, { ...acp, permissions: 'all' })
  const run = await runToEnd(daemon, task.id)
  t.like(run, { status: 'completed', error: null, exitCode: 0 })
  const [first, tool] = run.output.split('\n')
  t.deepEqual([first, tool], ['I look. ', '> read a.txt'])
  t.notRegex(run.output, /thinking/u)
  t.regex(run.output, /beside/u)
  const line = run.output.split('\n').find(each => each.startsWith('{'))
  const { text, session } = JSON.parse(line!.slice(0, line!.lastIndexOf('}') + 1))
  t.is(text, prompt)
  t.is(session.cwd, workingDirectory)
  const [server] = session.mcpServers
  t.like(server, { name: 'memory', env: [{ name: 'SERVICE_WORKSPACE', value: daemon.paths.root }] })
  t.regex(server.args[0], /mcp\.js$/u)
  t.like(calls()[0], { args: ['--mode', 'two words'], cwd: workingDirectory })
  t.like(calls()[0]?.env, { SERVICE_NO_HOOKS: '1', SERVICE_WORKSPACE: daemon.paths.root })
})

test('permissions follow the policy of the task (tasks.md#any-agent-over-acp)', async t => {
  const { daemon } = await startWith(
    t,
    `await say(JSON.stringify([await ask('read'), await ask('edit'), await ask(undefined)]))
     return { stopReason: 'end_turn' }`,
  )
  const once = { outcome: 'selected', optionId: 'once' }
  const no = { outcome: 'selected', optionId: 'no' }
  for (const [permissions, outcomes] of [
    ['all', [once, once, once]],
    ['read', [once, no, no]],
    ['none', [no, no, no]],
  ] as const) {
    const { id } = await makeTask(daemon, { harness: 'acp', acp: { ...acp, permissions } })
    t.deepEqual(JSON.parse((await runToEnd(daemon, id)).output), outcomes, permissions)
  }
})

test('an agent that fails says why (tasks.md#any-agent-over-acp)', async t => {
  const failures: [turn: string, options: Parameters<typeof fakeAcpAgent>[2], error: RegExp][] = [
    [
      `console.error('out of memory'); process.exit(3)`,
      {},
      /heron-agent failed \(exit code 3\): it ended before it had answered: out of memory/u,
    ],
    [`return { stopReason: 'refusal' }`, {}, /heron-agent failed.*: it refused the prompt/u],
    [`return { stopReason: 'max_tokens' }`, {}, /limit of its tokens/u],
    [`throw new acp.RequestError(-32603, 'no credit left')`, {}, /heron-agent failed.*: no credit left/u],
    [
      '',
      { newSession: 'throw acp.RequestError.authRequired()' },
      /it needs a login; start it once in a terminal/u,
    ],
    ['', { version: '7' }, /speaks version 7 of ACP/u],
  ]
  for (const [turn, options, error] of failures) {
    const { daemon } = await startWith(t, turn, options)
    const run = await runToEnd(daemon, (await makeTask(daemon, { harness: 'acp', acp })).id)
    t.is(run.status, 'failed', turn)
    t.regex(run.error ?? '', error)
  }
})

test('a program that speaks no ACP, or is missing, fails clearly (tasks.md#any-agent-over-acp)', async t => {
  const { daemon } = await startWith(t, '')
  for (const [command, error] of [
    ['node -e "console.log(1)"', /node failed \(exit code 0\): it ended before it had answered/u],
    ['no-such-agent acp', /no-such-agent is not on the PATH of the daemon/u],
  ] as const) {
    const run = await runToEnd(daemon, (await makeTask(daemon, { harness: 'acp', acp: { command } })).id)
    t.is(run.status, 'failed')
    t.regex(run.error ?? '', error)
  }
})

test('a cancelled run tells its agent, and one that ignores it is ended (tasks.md#any-agent-over-acp)', async t => {
  for (const turn of [
    `await say('working '); await cancelled; await say('tidied up'); return { stopReason: 'cancelled' }`,
    `await say('working '); setInterval(() => 0, 1000); await new Promise(() => 0)`,
  ]) {
    const { daemon } = await startWith(t, turn)
    const params = { id: (await makeTask(daemon, { harness: 'acp', acp })).id }
    await daemon.call('POST /api/tasks/:id/run', { params })
    await until(async () => {
      const { runs } = (await daemon.call('GET /api/tasks/:id', { params })).body
      return runs[0]?.output.includes('working') || undefined
    })
    await daemon.call('POST /api/tasks/:id/cancel', { params })
    const run = await endedRun(daemon, params.id)
    t.like(run, { status: 'failed', error: 'cancelled' })
    t.is(run.output.includes('tidied up'), turn.includes('tidied'))
  }
})

test('a run over ACP ends at the runtime limit (tasks.md#any-agent-over-acp)', async t => {
  const { path: PATH } = fakeAcpAgent(
    t,
    `await say('late'); setInterval(() => 0, 1000); await new Promise(() => 0)`,
  )
  const settings = { tasks: { runtimeLimitMs: 3000 } }
  const daemon = await startDaemon(t, { environment: { ...process.env, PATH }, settings })
  const run = await runToEnd(daemon, (await makeTask(daemon, { harness: 'acp', acp })).id)
  t.is(run.status, 'timeout')
  t.regex(run.error ?? '', /ended after 3000 ms/u)
})

test('harness acp needs a command, and no other takes one (tasks.md#any-agent-over-acp)', async t => {
  const daemon = await startDaemon(t)
  await t.throwsAsync(makeTask(daemon, { harness: 'acp' }), { message: /needs the command of an agent/u })
  await t.throwsAsync(makeTask(daemon, { acp }), { message: /only harness acp takes one/u })
  const { id } = await makeTask(daemon, { harness: 'acp', acp })
  const params = { id }
  const { task } = (await daemon.call('PATCH /api/tasks/:id', { params, body: { harness: 'harness_a' } }))
    .body
  t.like(task, { harness: 'harness_a', acp: null })
})
