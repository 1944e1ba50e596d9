import test, { type ExecutionContext } from 'ava'
import { checkTasks } from '../../../../../src/cli/operations/doctor/tasks-check.js'
import { emptyFolder, fakeProgram } from '../../../../helpers/fake-program.js'
import { doctorContext, fakeCall } from './doctor-fakes.js'

const task = { id: 't1', name: 'nightly', harness: 'harness_b', enabled: true, lastRunStatus: 'completed' }

async function check(
  t: ExecutionContext,
  { tasks, runs = [], path }: { tasks: object[]; runs?: object[]; path: string },
) {
  const call = fakeCall({ 'GET /api/tasks': () => ({ tasks }), 'GET /api/tasks/:id/runs': () => ({ runs }) })
  return checkTasks(await doctorContext(t, { call, platform: process.platform }), undefined, { PATH: path })
}

test('tasks that run need nothing; those that are switched off neither (tasks.md#commands)', async t => {
  const { path } = fakeProgram(t, 'codex', '')
  const off = { ...task, harness: 'harness_c', enabled: false, lastRunStatus: 'failed' }
  t.deepEqual(await check(t, { tasks: [task, off], path }), {
    severity: 'ok',
    evidence: '2 tasks, 1 switched on',
  })
})

test('an agent that is missing is a warning (tasks.md#commands)', async t => {
  const outcome = await check(t, { tasks: [task], path: emptyFolder(t) })
  t.is(outcome.severity, 'warning')
  t.is(outcome.evidence, 'codex is not on the PATH of this terminal: "nightly" needs it')
})

test('three runs in a row that failed are a warning, two are not (tasks.md#commands)', async t => {
  const { path } = fakeProgram(t, 'codex', '')
  const failed = { status: 'failed', error: 'no account' }
  const tasks = [{ ...task, lastRunStatus: 'failed' }]
  const outcome = await check(t, { tasks, runs: [failed, { status: 'timeout' }, failed], path })
  t.deepEqual(outcome, {
    severity: 'warning',
    evidence: '"nightly" failed its last 3 runs: no account',
    fix: 'memory tasks logs t1',
  })
  t.is((await check(t, { tasks, runs: [failed, failed, { status: 'completed' }], path })).severity, 'ok')
})

test('a run that somebody cancelled is no failure of its task (tasks.md#commands)', async t => {
  const { path } = fakeProgram(t, 'codex', '')
  const cancelled = { status: 'failed', error: 'cancelled' }
  const tasks = [{ ...task, lastRunStatus: 'failed' }]
  t.is((await check(t, { tasks, runs: [cancelled, cancelled, cancelled], path })).severity, 'ok')
})
