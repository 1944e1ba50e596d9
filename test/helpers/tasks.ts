import type { ExecutionContext } from 'ava'
import type { Task, TaskEvent, TaskRun } from '../../src/contract/agents/tasks.js'
import type { Request } from '../../src/contract/api.js'
import type { TestDaemon } from './daemon.js'
import { until } from './daemon-process.js'
import { fakeProgram } from './fake-program.js'
import { askStream } from './streams.js'

export type TaskBody = NonNullable<Request<'POST /api/tasks'>['body']>

/** A task that is not due for years by default. */
export const someTask: TaskBody = {
  name: 'tidy',
  prompt: 'tidy up',
  cronExpression: '0 0 29 2 *',
  harness: 'harness_a',
}

type Calling = Pick<TestDaemon, 'call'>

/** Creates a task. @throws Error with the daemon's message when it refuses */
export async function makeTask({ call }: Calling, fields: Partial<TaskBody> = {}): Promise<Task> {
  const { status, body } = await call('POST /api/tasks', { body: { ...someTask, ...fields } })
  if (status !== 201) throw new Error(body.error)
  return body.task
}

/** Runs a task manually and waits for its end. */
export async function runToEnd(daemon: Calling, taskId: string, timeoutMs?: number): Promise<TaskRun> {
  const { body } = await daemon.call('POST /api/tasks/:id/run', { params: { id: taskId } })
  if (!body.runId) throw new Error(body.error)
  return endedRun(daemon, taskId, body.runId, timeoutMs)
}

/** Waits until a run has ended. @param runId the newest run by default */
export function endedRun(
  { call }: Calling,
  taskId: string,
  runId?: string,
  timeoutMs?: number,
): Promise<TaskRun> {
  return until(async () => {
    const { runs } = (await call('GET /api/tasks/:id/runs', { params: { id: taskId } })).body
    const run = runs.find(({ id }) => runId === undefined || id === runId)
    return run?.completedAt ? run : undefined
  }, timeoutMs)
}

/** Output lines with which each agent's program reports success. */
export const successLines = {
  claude: { type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: 'done' },
  codex: { type: 'turn.completed', usage: {} },
  opencode: { type: 'step_finish', part: { reason: 'stop' } },
} as const

/** Code of a program that reports success like Claude Code. */
export const succeed = `console.log(${JSON.stringify(JSON.stringify(successLines.claude))})`

/**
 * A fake Claude Code (CommonJS) with its prompt as `input`, and the environment of a daemon that finds it.
 * @returns its recorded calls, too
 */
export function fakeClaude(t: Pick<ExecutionContext, 'teardown'>, code: string) {
  const { path: PATH, calls } = fakeProgram(t, 'claude', code, { readsInput: true })
  return { environment: { ...process.env, PATH }, calls }
}

export interface TaskReader {
  /** Events received so far. */
  events: TaskEvent[]
  /** The name of each event, from its line. */
  names: string[]
  /** Resolves when the daemon ends the stream. */
  ended: Promise<void>
  close(): void
}

/** Reads the events of a task until the test ends. */
export async function followTask(t: ExecutionContext, url: string, taskId: string): Promise<TaskReader> {
  const leaving = new AbortController()
  t.teardown(() => leaving.abort())
  const response = await fetch(`${url}/api/tasks/${taskId}/stream`, { signal: leaving.signal })
  t.is(response.headers.get('content-type'), 'text/event-stream')
  const reader = { events: [] as TaskEvent[], names: [] as string[] }
  const read = async (): Promise<void> => {
    let text = ''
    for await (const chunk of response.body ?? []) {
      const blocks = (text + Buffer.from(chunk).toString()).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, name, data] = /^event: (.+)\ndata: (.+)$/u.exec(block) ?? []
        if (name === undefined || data === undefined) continue
        reader.names.push(name)
        reader.events.push(JSON.parse(data) as TaskEvent)
      }
    }
  }
  return { ...reader, ended: read().catch(() => undefined), close: () => leaving.abort() }
}

/** Calls every route of tasks. */
export async function askTasks({ call, url }: TestDaemon, asked: Set<string>): Promise<void> {
  const params = { id: (await makeTask({ call })).id }
  await call('GET /api/tasks')
  await call('GET /api/tasks/:id', { params })
  await call('PATCH /api/tasks/:id', { params, body: { cronExpression: '0 1 29 2 *' } })
  await call('POST /api/tasks/:id/cancel', { params })
  // The run fails, since the daemon's PATH has no such program.
  await runToEnd({ call }, params.id)
  await askStream({ url }, 'GET /api/tasks/:id/stream', asked, `/api/tasks/${params.id}/stream`)
  await call('GET /api/tasks/:id/runs', { params })
  await call('DELETE /api/tasks/:id', { params })
}
