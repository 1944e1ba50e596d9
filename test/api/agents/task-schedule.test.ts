import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { emptyFolder } from '../../helpers/fake-program.js'
import { endedRun, fakeClaude, makeTask, succeed } from '../../helpers/tasks.js'

const utc = { tasks: { timezone: 'UTC' } }

const runsOf = async ({ call }: Pick<TestDaemon, 'call'>, id: string) =>
  (await call('GET /api/tasks/:id/runs', { params: { id } })).body.runs

const taskOf = async ({ call }: Pick<TestDaemon, 'call'>, id: string) =>
  (await call('GET /api/tasks/:id', { params: { id } })).body.task

/** Runs the scheduler: every change of a task does, and the reply waits for it. */
async function runScheduler({ call }: Pick<TestDaemon, 'call'>, id: string): Promise<void> {
  await call('PATCH /api/tasks/:id', { params: { id }, body: { name: 'looked at' } })
}

test('a run missed while the daemon was down happens once, if it is less than a day old (tasks.md#missed-times)', async t => {
  const { environment, calls } = fakeClaude(t, succeed)
  let now = new Date('2026-11-20T08:30:00Z')
  const options = { environment, settings: utc, clock: () => now }
  const first = await startDaemon(t, options)
  const { id: hourly } = await makeTask(first, { cronExpression: '0 * * * *' })
  const { id: monthly } = await makeTask(first, { cronExpression: '0 0 1 * *' })
  await first.stop()

  now = new Date('2026-12-03T10:20:00Z')
  const second = await startDaemon(t, { ...options, workspace: first.paths.root })
  t.like(await endedRun(second, hourly), { trigger: 'catch-up', status: 'completed' })
  t.is((await taskOf(second, hourly)).nextRunAt, '2026-12-03T11:00:00.000Z')
  t.is((await taskOf(second, monthly)).nextRunAt, '2027-01-01T00:00:00.000Z')
  t.deepEqual(await runsOf(second, monthly), [])
  await second.stop()

  const third = await startDaemon(t, { ...options, workspace: first.paths.root })
  await runScheduler(third, monthly)
  t.is((await runsOf(third, hourly)).length, 1)
  t.is(calls().length, 1)
})

test('at most three tasks run at once, the others wait, and none runs twice (tasks.md 8)', async t => {
  const folder = emptyFolder(t)
  const { environment, calls } = fakeClaude(
    t,
    `const end = setInterval(() => require('node:fs').existsSync(${JSON.stringify(join(folder, 'go'))}) && (clearInterval(end), ${succeed}), 20)`,
  )
  let now = new Date('2026-11-20T08:30:30Z')
  const daemon = await startDaemon(t, { environment, settings: utc, clock: () => now })
  const made = await Promise.all(
    Array.from({ length: 5 }, () => makeTask(daemon, { cronExpression: '31 8 * * *' })),
  )
  const ids = made.map(({ id }) => id)
  now = new Date('2026-11-20T08:31:10Z')
  await Promise.all(ids.map(id => runScheduler(daemon, id)))
  const states = async () => (await Promise.all(ids.map(id => runsOf(daemon, id)))).flat()
  const begun = await states()
  t.deepEqual(begun.map(({ status }) => status).sort(), [
    'pending',
    'pending',
    'running',
    'running',
    'running',
  ])
  t.true(begun.every(({ trigger }) => trigger === 'schedule'))
  writeFileSync(join(folder, 'go'), '')
  for (const id of ids) t.is((await endedRun(daemon, id)).status, 'completed')
  t.is((await states()).length, 5)
  t.is(calls().length, 5)
})

test('a clock set back repeats nothing, and a corrected clock is followed (tasks.md#missed-times)', async t => {
  const { environment } = fakeClaude(t, succeed)
  let now = new Date('2026-11-20T08:59:50Z')
  const daemon = await startDaemon(t, { environment, settings: utc, clock: () => now })
  const { id } = await makeTask(daemon, { cronExpression: '0 * * * *' })
  now = new Date('2026-11-20T09:00:05Z')
  await runScheduler(daemon, id)
  await endedRun(daemon, id)
  now = new Date('2026-11-20T08:59:58Z')
  await runScheduler(daemon, id)
  t.is((await taskOf(daemon, id)).nextRunAt, '2026-11-20T10:00:00.000Z')
  now = new Date('2030-01-01T00:30:00Z')
  await runScheduler(daemon, id)
  await until(async () => (await runsOf(daemon, id)).length === 2)
  await endedRun(daemon, id)
  t.is((await taskOf(daemon, id)).nextRunAt, '2030-01-01T01:00:00.000Z')
  now = new Date('2026-11-20T09:30:00Z')
  await runScheduler(daemon, id)
  t.is((await taskOf(daemon, id)).nextRunAt, '2026-11-20T10:00:00.000Z')
  t.is((await runsOf(daemon, id)).length, 2)
})

test('schedules follow the time zone of the settings (tasks.md#cron)', async t => {
  const clock = () => new Date('2026-11-20T12:00:00Z')
  const first = await startDaemon(t, { settings: utc, clock })
  const { id } = await makeTask(first, { cronExpression: '0 9 * * *' })
  t.is((await taskOf(first, id)).nextRunAt, '2026-11-21T09:00:00.000Z')
  await first.stop()
  const settings = { tasks: { timezone: 'Asia/Tokyo' } }
  const second = await startDaemon(t, { workspace: first.paths.root, settings, clock })
  await runScheduler(second, id)
  t.is((await taskOf(second, id)).nextRunAt, '2026-11-21T00:00:00.000Z')
})

test('tasks run while writes are frozen (rules.md#kill-switch)', async t => {
  const { environment } = fakeClaude(t, succeed)
  const settings = { memory: { pipelineV2: { mutationsFrozen: true } } }
  const daemon = await startDaemon(t, { environment, settings })
  const { id } = await makeTask(daemon)
  await daemon.call('POST /api/tasks/:id/run', { params: { id } })
  t.is((await endedRun(daemon, id)).status, 'completed')
})
