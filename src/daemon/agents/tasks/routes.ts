import { Readable } from 'node:stream'
import type { RunsQuery, Task, TaskRun } from '../../../contract/agents/tasks.js'
import * as contract from '../../../contract/agents/tasks.js'
import type { TaskRunRow } from '../../../store/tables/agents/tasks.js'
import type { Ground } from '../../ground/ground.js'
import { route } from '../../platform/http/bind.js'
import { type Scheduler, schedulers } from './scheduler.js'
import { requireTask, toRun, toTask } from './task-record.js'
import { changeTask, createTask } from './write-task.js'

/** Tasks per slice: at most a few MiB of prompts. */
const batchSize = 50
/** Runs returned with their task. */
const newestRuns = 20

type Deps = Pick<Ground, 'store' | 'budget'>
/** Output of runs in progress. */
type LiveOutput = Pick<Scheduler, 'written'>

export const routes = [
  route(contract.createTask, async (daemon, { body }) => {
    const task = await createTask(daemon, body)
    await schedulers.of(daemon).checkDue()
    return { task }
  }),
  route(contract.listTasks, async daemon => listTasks(daemon)),
  route(contract.getTask, (daemon, { params }) => getTask(daemon, schedulers.of(daemon), params.id)),
  route(contract.changeTask, async (daemon, { params, body }) => {
    const task = await changeTask(daemon, params.id, body)
    await schedulers.of(daemon).checkDue()
    return { task }
  }),
  route(contract.removeTask, async (daemon, { params }) => {
    await schedulers.of(daemon).remove(params.id)
    return { success: true as const }
  }),
  route(contract.runTask, (daemon, { params }) => schedulers.of(daemon).admit(params.id)),
  route(contract.cancelTask, async (daemon, { params }) => ({
    run: await schedulers.of(daemon).cancel(params.id),
  })),
  route(contract.streamTask, (daemon, { params }) => schedulers.of(daemon).follow(params.id)),
  route(contract.listTaskRuns, (daemon, { params, query }) =>
    listRuns(daemon, schedulers.of(daemon), params.id, query),
  ),
]

/** Streams every task, oldest first, in slices: all prompts together may be megabytes. */
function listTasks(deps: Deps): Readable {
  return Readable.from(taskSlices(deps))
}

async function* taskSlices({ store, budget }: Deps): AsyncGenerator<string> {
  let count = 0
  yield '{"tasks":['
  for (let after = '', isOver = false; !isOver; ) {
    const rows = await store.tables.tasks.page(after, batchSize)
    const text = rows.map(row => JSON.stringify(toTask(row))).join(',')
    if (rows.length > 0) yield `${count > 0 ? ',' : ''}${text}`
    count += rows.length
    isOver = rows.length < batchSize
    after = rows.at(-1)?.id ?? ''
    await budget.breathe()
  }
  yield `],"count":${count}}`
}

/** @throws AppError `not_found` */
async function getTask(
  { store }: Deps,
  running: LiveOutput,
  id: string,
): Promise<{ task: Task; runs: TaskRun[] }> {
  const task = toTask(await requireTask(store.tables, id))
  const rows = await store.tables.taskRuns.page(id, { limit: newestRuns, offset: 0 })
  return { task, runs: rows.map(row => toCurrentRun(running, row)) }
}

/** @throws AppError `not_found` */
async function listRuns(
  { store }: Deps,
  running: LiveOutput,
  id: string,
  { limit, offset }: RunsQuery,
): Promise<{ runs: TaskRun[]; total: number; limit: number; offset: number }> {
  await requireTask(store.tables, id)
  const { taskRuns } = store.tables
  const [rows, total] = await Promise.all([taskRuns.page(id, { limit, offset }), taskRuns.count(id)])
  return { runs: rows.map(row => toCurrentRun(running, row)), total, limit, offset }
}

/** The database gets a run's output only when the run has ended. */
function toCurrentRun(running: LiveOutput, row: TaskRunRow): TaskRun {
  const written = row.completed_at === null ? running.written(row.id) : undefined
  return { ...toRun(row), ...(written && { output: written.text, outputTruncated: written.isTruncated }) }
}
