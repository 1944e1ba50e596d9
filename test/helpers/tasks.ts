import type { Task } from '../../src/contract/agents/tasks.js'
import type { Request } from '../../src/contract/api.js'

import type { TestDaemon } from './daemon.js'

export type TaskBody = NonNullable<Request<'POST /api/tasks'>['body']>

/** A task that is not due for years, unless the fields say otherwise. */
export const someTask: TaskBody = {
  name: 'tidy',
  prompt: 'tidy up',
  cronExpression: '0 0 29 2 *',
  harness: 'harness_a',
}

/** Makes a task. @throws Error with what the daemon said when it refuses. */
export async function makeTask(
  { call }: Pick<TestDaemon, 'call'>,
  fields: Partial<TaskBody> = {},
): Promise<Task> {
  const { status, body } = await call('POST /api/tasks', { body: { ...someTask, ...fields } })
  if (status !== 201) throw new Error(body.error)
  return body.task
}

/** Asks every route of tasks. */
export async function askTasks({ call }: Pick<TestDaemon, 'call'>): Promise<void> {
  const params = { id: (await makeTask({ call })).id }
  await call('GET /api/tasks')
  await call('GET /api/tasks/:id', { params })
  await call('PATCH /api/tasks/:id', { params, body: { cronExpression: '0 1 29 2 *' } })
  await call('GET /api/tasks/:id/runs', { params })
  await call('DELETE /api/tasks/:id', { params })
}
