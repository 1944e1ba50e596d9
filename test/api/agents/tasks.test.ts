import test from 'ava'
import { maxTasks } from '../../../src/contract/agents/tasks.js'
import { startDaemon } from '../../helpers/daemon.js'
import { emptyFolder } from '../../helpers/fake-program.js'
import { putSkill } from '../../helpers/skills.js'
import { makeTask, someTask } from '../../helpers/tasks.js'
import { startTeam } from '../../helpers/team.js'

const clock = () => new Date('2026-11-20T08:30:00Z')
const settings = { tasks: { timezone: 'Europe/Berlin' } }

test('a task can be created, listed, shown, changed and removed, and survives a restart (tasks.md 4.8)', async t => {
  const first = await startDaemon(t, { clock, settings })
  const workingDirectory = emptyFolder(t)
  const task = await makeTask(first, { cronExpression: '0 9 * * 1-5', workingDirectory })
  t.like(task, {
    ...someTask,
    cronExpression: '0 9 * * 1-5',
    workingDirectory,
    skill: null,
    enabled: true,
    createdAt: '2026-11-20T08:30:00.000Z',
    lastRunAt: null,
    // Now is a Friday after nine in Berlin.
    nextRunAt: '2026-11-23T08:00:00.000Z',
    lastRunStatus: null,
  })
  const other = await makeTask(first, { name: 'other', enabled: false })
  t.is(other.nextRunAt, null)
  await first.stop()

  const { call } = await startDaemon(t, { workspace: first.paths.root, clock, settings })
  const params = { id: task.id }
  t.deepEqual((await call('GET /api/tasks')).body, { tasks: [task, other], count: 2 })
  t.deepEqual((await call('GET /api/tasks/:id', { params })).body, { task, runs: [] })
  t.deepEqual((await call('GET /api/tasks/:id/runs', { params })).body, {
    runs: [],
    total: 0,
    limit: 20,
    offset: 0,
  })
  const { body: changed } = await call('PATCH /api/tasks/:id', {
    params,
    body: { prompt: 'tidy more', cronExpression: '30 9 * * *', workingDirectory: null, harness: 'harness_b' },
  })
  const expected = {
    ...task,
    prompt: 'tidy more',
    cronExpression: '30 9 * * *',
    workingDirectory: null,
    harness: 'harness_b',
    nextRunAt: '2026-11-21T08:30:00.000Z',
  } as const
  t.deepEqual(changed.task, expected)
  t.deepEqual((await call('GET /api/tasks/:id', { params })).body.task, expected)

  t.deepEqual((await call('DELETE /api/tasks/:id', { params })).body, { success: true })
  for (const address of ['GET /api/tasks/:id', 'GET /api/tasks/:id/runs', 'DELETE /api/tasks/:id'] as const)
    t.is((await call(address, { params })).body.code, 'not_found', address)
  t.is((await call('PATCH /api/tasks/:id', { params, body: { enabled: false } })).body.code, 'not_found')
  t.is((await call('GET /api/tasks')).body.count, 1)
})

test('an invalid task is refused with the reason and stores nothing (tasks.md 4.8)', async t => {
  const { call } = await startDaemon(t, { clock })
  const refusals: [fields: Record<string, unknown>, message: RegExp][] = [
    [{ name: undefined }, /name/u],
    [{ name: 'a\nb' }, /name: must not contain control characters/u],
    [{ prompt: ' ' }, /prompt is required/u],
    [{ prompt: 'x'.repeat(32_769) }, /prompt/u],
    [{ cronExpression: '@daily' }, /cronExpression: "@daily" has 1 field; it takes five/u],
    [{ cronExpression: '0 0 30 2 *' }, /names a day that never comes/u],
    [{ harness: 'claude' }, /harness/u],
    [{ workingDirectory: 'here' }, /workingDirectory: "here" is not an absolute path/u],
    [{ workingDirectory: '/nowhere/at/all' }, /does not exist/u],
    [{ workingDirectory: process.execPath }, /is not a folder/u],
    [{ skill: 'tidy' }, /skill: skill "tidy" not found/u],
    [{ skill: { name: '../x' } }, /skill/u],
  ]
  for (const [fields, message] of refusals) {
    const { status, body } = await call('POST /api/tasks', { body: { ...someTask, ...fields } as never })
    t.is(status, 400, JSON.stringify(fields).slice(0, 100))
    t.regex(body.error ?? '', message)
  }
  t.is((await call('GET /api/tasks')).body.count, 0)
  const task = await makeTask({ call })
  const params = { id: task.id }
  for (const body of [{}, { cronExpression: '* *' }, { workingDirectory: '/nowhere/at/all' }])
    t.is((await call('PATCH /api/tasks/:id', { params, body })).status, 400, JSON.stringify(body))
  t.deepEqual((await call('GET /api/tasks/:id', { params })).body.task, task)
})

test('a task names an installed skill, with an optional mode (tasks.md 4.8)', async t => {
  const daemon = await startDaemon(t, { clock })
  putSkill(daemon.paths, 'tidy')
  t.deepEqual((await makeTask(daemon, { skill: 'tidy' })).skill, { name: 'tidy', mode: 'inject' })
  const skill = { name: 'tidy', mode: 'slash' } as const
  const { id } = await makeTask(daemon, { skill })
  const { call } = daemon
  const { body: refused } = await call('POST /api/tasks', {
    body: { ...someTask, harness: 'harness_b', skill },
  })
  t.regex(refused.error ?? '', /only harness_a runs a skill as a slash command/u)
  const { status } = await call('PATCH /api/tasks/:id', { params: { id }, body: { harness: 'harness_c' } })
  t.is(status, 400)
  const { body } = await call('PATCH /api/tasks/:id', { params: { id }, body: { skill: null } })
  t.is(body.task.skill, null)
})

test('a disabled task has no next run, and its schedule starts over when it is enabled (tasks.md 4.8)', async t => {
  let now = clock()
  const daemon = await startDaemon(t, { clock: () => now, settings })
  const { id } = await makeTask(daemon, { cronExpression: '0 12 * * *' })
  const change = async (enabled: boolean) =>
    (await daemon.call('PATCH /api/tasks/:id', { params: { id }, body: { enabled } })).body.task
  t.like(await change(false), { enabled: false, nextRunAt: null })
  now = new Date('2026-11-22T20:00:00Z')
  t.like(await change(true), {
    enabled: true,
    nextRunAt: '2026-11-23T11:00:00.000Z',
    updatedAt: '2026-11-22T20:00:00.000Z',
  })
})

test('reading tasks needs diagnostics, changing them admin (tasks.md 5)', async t => {
  const team = await startTeam(t)
  const ask = async (role: 'operator' | 'agent', method: string) => {
    const headers = { ...team.token({ role }), 'content-type': 'application/json' }
    const body = method === 'GET' ? null : JSON.stringify(someTask)
    return (await fetch(`${team.url}/api/tasks`, { method, headers, body })).status
  }
  t.is(await ask('operator', 'GET'), 200)
  t.is(await ask('operator', 'POST'), 403)
  t.is(await ask('agent', 'GET'), 403)
})

test('at most 2,000 tasks can exist (tasks.md 8)', async t => {
  const { call, daemon } = await startDaemon(t)
  const { id: _id, ...row } = (await daemon.store.tables.tasks.find(
    (
      await makeTask({ call })
    ).id,
  )) as never as {
    id: string
  }
  await daemon.store.transaction(async ({ tasks }) => {
    for (let count = 1; count < maxTasks; count++) await tasks.add({ ...row, id: daemon.newId() } as never)
  })
  const { status, body } = await call('POST /api/tasks', { body: someTask })
  t.is(status, 409)
  t.regex(body.error ?? '', /at most 2000 tasks are allowed/u)
  t.is((await call('GET /api/tasks')).body.count, maxTasks)
})
