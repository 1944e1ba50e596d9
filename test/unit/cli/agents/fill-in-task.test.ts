import test from 'ava'
import { fillIn, nameOf } from '../../../../src/cli/agents/fill-in-task.js'
import { findTask } from '../../../../src/cli/agents/tasks/find-task.js'
import type { Task } from '../../../../src/cli/agents/tasks/task-text.js'

const schedules = {
  zone: 'UTC',
  faultOf: (text: string) => (text === 'daily' ? 'has 1 field' : undefined),
  nextOf: () => 'today 09:00',
}
const nobody = { schedules, workspace: undefined, asks: false }
const whole = { prompt: 'tidy up', cron: '0 9 * * *', harness: 'claude', name: undefined }

test('a complete task is not asked about, and is named after its first words (tasks.md#commands)', async t => {
  t.deepEqual(await fillIn(whole, nobody), { ...whole, name: 'tidy up' })
  t.is((await fillIn({ ...whole, name: 'n' }, nobody)).name, 'n')
})

test('without a terminal, missing fields and an invalid schedule are errors (tasks.md#commands)', async t => {
  await t.throwsAsync(fillIn({ ...whole, cron: undefined, harness: undefined }, nobody), {
    message: '--cron, --harness are missing',
  })
  await t.throwsAsync(fillIn({ ...whole, prompt: undefined }, nobody), { message: 'the prompt is missing' })
  await t.throwsAsync(fillIn({ ...whole, cron: 'daily' }, nobody), { message: '--cron: "daily" has 1 field' })
})

test('a generated task name is one line and ends at a word (tasks.md#commands)', t => {
  t.is(nameOf('look at\n\tthe   tests'), 'look at the tests')
  t.is(nameOf('summarise what changed in the repository since yesterday'), 'summarise what changed in the')
  t.true(nameOf(`${'x'.repeat(39)}😀`).isWellFormed())
})

test('a task is found by id or by unique name (tasks.md#commands)', t => {
  const tasks = [
    { id: 'a', name: 'nightly' },
    { id: 'b', name: 'twice' },
    { id: 'c', name: 'twice' },
  ] as Task[]
  t.is(findTask(tasks, 'c').id, 'c')
  t.is(findTask(tasks, 'nightly').id, 'a')
  t.throws(() => findTask(tasks, 'twice'), { message: /2 tasks have the name/ })
  const error = t.throws(() => findTask(tasks, 'nigthly')) as Error & { nextSteps: string[] }
  t.deepEqual(error.nextSteps, ['did you mean: nightly', 'memory tasks list'])
})
