// runs: in turn

import test, { type ExecutionContext } from 'ava'
import { render } from 'ink-testing-library'
import type { Task } from '../../../../src/cli/agents/tasks/task-text.js'
import { TasksScreen } from '../../../../src/cli/tui/watch-tasks.js'
import { pressKeys, untilTurn } from '../../../helpers/ink-screen.js'

const task = (id: string, fields: Partial<Task> = {}): Task => ({
  id,
  name: `task ${id}`,
  prompt: `prompt ${id}`,
  cronExpression: '0 9 * * *',
  harness: 'harness_b',
  workingDirectory: null,
  skill: null,
  acp: null,
  enabled: true,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  lastRunAt: null,
  nextRunAt: '2100-01-01T00:00:00.000Z',
  lastRunStatus: null,
  ...fields,
})

async function open(t: ExecutionContext, tasks: readonly Task[]) {
  const asked: string[] = []
  const screen = render(
    <TasksScreen
      color={false}
      look={async () => tasks}
      run={async ({ id }) => {
        if (id === 'b') throw new Error('task b runs already')
        asked.push(`run ${id}`)
      }}
      toggle={async ({ id }) => void asked.push(`toggle ${id}`)}
      cancel={async ({ id }) => void asked.push(`cancel ${id}`)}
    />,
  )
  t.teardown(screen.unmount)
  const frame = () => screen.lastFrame() ?? ''
  await untilTurn(() => frame().includes(tasks.length > 0 ? 'prompt' : 'No tasks'))
  return { asked, frame, press: (...keys: string[]) => pressKeys(screen, ...keys) }
}

test('tasks are shown with next time and status (tasks.md#commands)', async t => {
  const { frame } = await open(t, [
    task('a', { lastRunStatus: 'running' }),
    task('b', {
      enabled: false,
      nextRunAt: null,
      lastRunStatus: 'failed',
      lastRunAt: '2026-01-01T00:00:00Z',
    }),
  ])
  t.regex(frame(), /^> task a +in \d+ y +running$/m)
  t.regex(frame(), /^ {2}task b +off +failed/m)
  t.regex(frame(), /^0 9 \* \* \*, codex: prompt a$/m)
})

test('the selected task can be run and toggled, and a refusal is shown (tasks.md#commands)', async t => {
  const { asked, frame, press } = await open(t, [task('a'), task('b')])
  await press('r', 'e')
  t.deepEqual(asked, ['run a', 'toggle a'])
  t.regex(frame(), /task a disabled/)
  await press('j', 'r')
  t.regex(frame(), /task b runs already/)
  await press('j', 'e')
  t.deepEqual(asked.at(-1), 'toggle b', 'the list ends there')
})

test('pressing c twice ends a run (tasks.md#commands)', async t => {
  const { asked, frame, press } = await open(t, [task('a', { lastRunStatus: 'running' }), task('b')])
  await press('c')
  t.regex(frame(), /press c again to cancel the run of task a/)
  await press('j', 'k', 'c')
  t.deepEqual(asked, [], 'another key between takes the question back')
  await press('c')
  t.deepEqual(asked, ['cancel a'])
  t.regex(frame(), /task a run cancelled/)
  await press('j', 'c', 'c')
  t.regex(frame(), /task b is not running/)
  t.deepEqual(asked, ['cancel a'])
})

test('without tasks the screen says how to add one (tasks.md#commands)', async t => {
  const { frame, press } = await open(t, [])
  t.regex(frame(), /memory tasks add/)
  await press('r', 'j', 'e')
  t.regex(frame(), /memory tasks add/)
})
