import test from 'ava'
import { followRun } from '../../../../../src/cli/agents/tasks/follow-run.js'
import type { TaskRun } from '../../../../../src/cli/agents/tasks/task-text.js'
import { ClientError } from '../../../../../src/client/http/client-error.js'
import type { TaskEvent } from '../../../../../src/client/stream.js'

const run = (fields: Partial<TaskRun> = {}): TaskRun => ({
  id: 'r1',
  taskId: 't1',
  trigger: 'manual',
  status: 'running',
  exitCode: null,
  output: '',
  outputTruncated: false,
  error: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  startedAt: '2026-01-01T00:00:00.000Z',
  completedAt: null,
  ...fields,
})

const connected: TaskEvent = { type: 'connected', taskId: 't1' }
const started: TaskEvent = { type: 'run-started', run: run() }
const wrote = (offset: number, data: string): TaskEvent => ({ type: 'run-output', runId: 'r1', offset, data })
const broken = new Error('the connection was lost')

/** Each connection yields its events and then ends, or breaks at an error. */
async function follow(
  connections: readonly (readonly (TaskEvent | Error)[])[],
  { runs, runId }: { runs: readonly (TaskRun | undefined)[]; runId?: string },
) {
  const left = [...connections]
  const answers = [...runs]
  const told = { text: '', gaps: [] as number[] }
  const ended = await followRun({
    runId,
    signal: new AbortController().signal,
    open: async function* () {
      for (const event of left.shift() ?? []) {
        if (event instanceof Error) throw event
        yield event
      }
    },
    find: async () => (answers.length > 1 ? answers.shift() : answers[0]),
    onOutput: text => {
      told.text += text
    },
    onGap: characters => told.gaps.push(characters),
  })
  return { ...told, ended, connectionsLeft: left.length }
}

test('a lost connection is reopened, and each character is printed once (tasks.md#commands)', async t => {
  const ended = run({ status: 'completed', output: 'one two three', completedAt: '2026-01-01T00:00:09.000Z' })
  const done: TaskEvent = { type: 'run-completed', run: ended }
  const result = await follow(
    [
      [connected, started, wrote(0, 'one '), broken],
      [connected, started, wrote(0, 'one two '), wrote(8, 'three'), done],
    ],
    { runs: [run(), ended] },
  )
  t.is(result.text, 'one two three')
  t.deepEqual(result.gaps, [])
  t.is(result.ended?.status, 'completed')
})

test('a run that ended during a lost connection is printed to its end (tasks.md#commands)', async t => {
  const ended = run({ status: 'failed', output: 'one two', completedAt: '2026-01-01T00:00:09.000Z' })
  const result = await follow([[connected, started, wrote(0, 'one '), broken]], { runs: [ended] })
  t.is(result.text, 'one two')
  t.is(result.ended?.status, 'failed')
  const before = await follow([[connected]], { runs: [ended], runId: 'r1' })
  t.is(before.text, 'one two', 'one that ended before the first connection too')
})

test('omitted output is shown as a gap, and output of other runs is ignored (tasks.md#commands)', async t => {
  const ended = run({ status: 'completed', output: 'b', outputTruncated: true })
  const other: TaskEvent = { type: 'run-output', runId: 'r2', offset: 0, data: 'other' }
  const result = await follow(
    [[connected, started, wrote(0, 'a'), other, wrote(101, 'b'), { type: 'run-completed', run: ended }]],
    { runs: [ended] },
  )
  t.is(result.text, 'ab')
  t.deepEqual(result.gaps, [100])
})

test('a deleted task ends the command (tasks.md#commands)', async t => {
  const gone = new ClientError('no task has this id', { code: 'not_found', status: 404 })
  await t.throwsAsync(follow([[gone]], { runs: [undefined], runId: 'r1' }), { message: /no task/ })
})
