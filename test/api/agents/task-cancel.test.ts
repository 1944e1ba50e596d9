// runs: in turn

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { emptyFolder } from '../../helpers/fake-program.js'
import { endedRun, fakeClaude, followTask, makeTask, runToEnd, succeed } from '../../helpers/tasks.js'
import { startTeam } from '../../helpers/team.js'

const cancel = ({ call }: Pick<TestDaemon, 'call'>, id: string) =>
  call('POST /api/tasks/:id/cancel', { params: { id } })

const run = ({ call }: Pick<TestDaemon, 'call'>, id: string) =>
  call('POST /api/tasks/:id/run', { params: { id } })

test('cancelling a run ends all of its processes and keeps its output (tasks.md#runs)', async t => {
  const pids = join(emptyFolder(t), 'pids')
  const note = `require('node:fs').appendFileSync(${JSON.stringify(pids)}, process.pid + '\\n'); setInterval(() => {}, 1000)`
  const { environment, calls } = fakeClaude(
    t,
    `console.log('begun'); require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(note)}], { stdio: 'inherit' }); ${note}`,
  )
  const daemon = await startDaemon(t, { environment })
  const { id } = await makeTask(daemon)
  const reader = await followTask(t, daemon.url, id)
  const { runId } = (await run(daemon, id)).body
  await until(() => existsSync(pids) && readFileSync(pids, 'utf8').trim().split('\n').length === 2)
  const { status, body } = await cancel(daemon, id)
  t.is(status, 200)
  t.like(body.run, { id: runId, taskId: id, status: 'failed', error: 'cancelled' })
  t.truthy(body.run.completedAt)
  await until(() => readdirSync(daemon.paths.children).length === 0)
  for (const pid of readFileSync(pids, 'utf8').trim().split('\n')) t.false(existsSync(`/proc/${pid}`))
  const { task, runs } = (await daemon.call('GET /api/tasks/:id', { params: { id } })).body
  t.like(task, { lastRunStatus: 'failed', enabled: true })
  t.like(runs[0], { ...body.run, output: 'begun\n' })
  await until(() => reader.names.includes('run-completed'))
  t.deepEqual(reader.events.at(-1), { type: 'run-completed', run: body.run })
  t.is(calls().length, 1, 'the run is not repeated')
})

test('a program that ignores the first signal is cancelled too (tasks.md#runs)', async t => {
  const { environment, calls } = fakeClaude(t, `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`)
  const daemon = await startDaemon(t, { environment })
  const { id } = await makeTask(daemon)
  await run(daemon, id)
  await until(() => calls().length === 1)
  t.like((await cancel(daemon, id)).body.run, { status: 'failed', error: 'cancelled', exitCode: 137 })
})

test('a queued run can be cancelled before it starts, and the next in the queue starts (tasks.md#runs)', async t => {
  const { environment, calls } = fakeClaude(t, 'setInterval(() => {}, 1000)')
  const daemon = await startDaemon(t, { environment, settings: { tasks: { maxConcurrent: 1 } } })
  const [first, second, third] = await Promise.all(
    ['a', 'b', 'c'].map(prompt => makeTask(daemon, { prompt })),
  )
  for (const task of [first, second, third]) await run(daemon, task?.id ?? '')
  await until(() => calls().length === 1)
  const { body } = await cancel(daemon, second?.id ?? '')
  t.like(body.run, { status: 'failed', error: 'cancelled', startedAt: null, exitCode: null })
  t.is((await cancel(daemon, first?.id ?? '')).status, 200)
  await until(() => calls().length === 2)
  t.deepEqual(
    calls().map(({ input }) => input),
    ['a', 'c'],
  )
})

test('without a run there is nothing to cancel, and the task can be run again at once (tasks.md#runs)', async t => {
  const { environment } = fakeClaude(t, `input === 'long' ? setInterval(() => {}, 1000) : ${succeed}`)
  const daemon = await startDaemon(t, { environment })
  const { id } = await makeTask(daemon, { prompt: 'long' })
  const { status, body } = await cancel(daemon, id)
  t.is(status, 409)
  t.is(body.code, 'conflict')
  t.regex(body.error ?? '', /task "tidy" is not running/u)
  t.is((await cancel(daemon, 'nothing')).status, 404)
  await run(daemon, id)
  // The second of two concurrent requests may find the run already ended.
  const both = await Promise.all([cancel(daemon, id), cancel(daemon, id)])
  for (const answer of both) t.true([200, 409].includes(answer.status))
  t.is((await endedRun(daemon, id)).error, 'cancelled')
  await daemon.call('PATCH /api/tasks/:id', { params: { id }, body: { prompt: 'short' } })
  t.is((await runToEnd(daemon, id)).status, 'completed')
})

test('cancelling needs admin (tasks.md 5)', async t => {
  const team = await startTeam(t)
  const ask = async (role: 'operator' | 'admin') => {
    const headers = team.token({ role })
    return (await fetch(`${team.url}/api/tasks/x/cancel`, { method: 'POST', headers })).status
  }
  t.is(await ask('operator'), 403)
  t.is(await ask('admin'), 404)
})
