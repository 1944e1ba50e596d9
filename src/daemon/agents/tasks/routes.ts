import * as contract from '../../../contract/agents/tasks.js'
import { route } from '../../platform/http/bind.js'
import { getTask, listRuns, listTasks } from './read-tasks.js'
import { schedulers } from './scheduler.js'
import { changeTask, createTask } from './write-task.js'

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
