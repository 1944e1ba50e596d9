// runs: in turn

import { readdirSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.js'
import { until } from '../../../helpers/daemon-process.js'
import { ownDatabase } from '../../../helpers/postgres.js'
import { fakeClaude, followTask, makeTask } from '../../../helpers/tasks.js'

/** Two daemons, of which the first runs the tasks. */
async function team(t: ExecutionContext, code: string) {
  const postgres = await ownDatabase(t)
  const { environment, calls } = fakeClaude(t, code)
  const join = (name: string): Promise<TestDaemon> =>
    startDaemon(t, {
      settings: { storage: { postgres, shared: true }, team: { node: 'first' } },
      environment: { ...environment, SERVICE_NODE_NAME: name },
    })
  return { first: await join('first'), other: await join('other'), calls }
}

test('a run of a task is begun, followed and cancelled from a daemon that does not run it', async t => {
  const { first, other, calls } = await team(t, 'setInterval(() => {}, 1000)')
  const { id } = await makeTask(other)
  const reader = await followTask(t, other.url, id)
  const { runId } = (await other.call('POST /api/tasks/:id/run', { params: { id } })).body
  await until(() => calls().length === 1)
  await until(() => reader.names.includes('run-started'))
  const { status, body } = await other.call('POST /api/tasks/:id/cancel', { params: { id } })
  t.is(status, 200)
  t.like(body.run, { id: runId, status: 'failed', error: 'cancelled' })
  t.truthy(body.run.completedAt)
  t.deepEqual((await first.call('GET /api/tasks/:id', { params: { id } })).body.task.lastRunStatus, 'failed')
  await until(() => reader.names.includes('run-completed'))
  t.deepEqual(reader.events.at(-1), { type: 'run-completed', run: body.run })
})

test('a task that another daemon removes ends its run', async t => {
  const { first, other, calls } = await team(t, 'setInterval(() => {}, 1000)')
  const { id } = await makeTask(first)
  await first.call('POST /api/tasks/:id/run', { params: { id } })
  await until(() => calls().length === 1)
  t.is((await other.call('DELETE /api/tasks/:id', { params: { id } })).status, 200)
  await until(() => readdirSync(first.paths.children).length === 0)
  t.is(calls().length, 1)
})
