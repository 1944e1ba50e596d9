import test from 'ava'
import { Scheduler } from '../../../../../src/daemon/agents/tasks/scheduler.js'
import type { Daemon } from '../../../../../src/daemon/platform/daemon/daemon.js'
import { openTestStore } from '../../../../helpers/store.js'

const time = '2026-11-20T08:30:00.000Z'

test('a reader of an interrupted run receives its end (tasks.md 3.4)', async t => {
  const { store } = openTestStore(t)
  await store.transaction(async ({ tasks, taskRuns }) => {
    await tasks.add({
      id: 'task',
      name: 'the tests',
      prompt: 'look',
      cron_expression: '0 0 1 1 *',
      harness: 'claude',
      working_directory: null,
      skill_name: null,
      skill_mode: null,
      acp_command: null,
      acp_permissions: null,
      enabled: 0,
      zone: 'UTC',
      last_due_at: null,
      created_at: time,
      updated_at: time,
      last_run_at: null,
      last_run_status: null,
      next_run_at: null,
    })
    await taskRuns.addPending({
      id: 'run',
      task_id: 'task',
      trigger_kind: 'manual',
      daemon: 'killed',
      created_at: time,
    })
  })
  const daemon = { store, clock: () => new Date(time), newId: () => 'this' } as unknown as Daemon
  const scheduler = new Scheduler(daemon, async () => {})
  const stream = await scheduler.follow('task')
  await scheduler.failOrphanedRuns()
  await scheduler.close()
  const told = (await stream.toArray()).join('')
  t.regex(told, /"type":"run-completed".*"id":"run".*"status":"failed".*"error":"daemon_restart"/)
})
