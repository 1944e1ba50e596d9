import * as contract from '../../../contract/agents/tasks.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { getTask, listRuns, listTasks } from './read-tasks.js'
import { noTask } from './task-record.js'
import { changeTask, createTask } from './write-task.js'

/** Prompts that are given to coding agents by a schedule (tasks.md). */
export const tasks: Domain = {
  routes: [
    route(contract.createTask, async (daemon, { body }) => ({ task: await createTask(daemon, body) })),
    route(contract.listTasks, async daemon => listTasks(daemon)),
    route(contract.getTask, (daemon, { params }) => getTask(daemon, params.id)),
    route(contract.changeTask, async (daemon, { params, body }) => ({
      task: await changeTask(daemon, params.id, body),
    })),
    route(contract.removeTask, async ({ store }, { params: { id } }) => {
      if (await store.transaction(({ tasks: table }) => table.remove(id))) return { success: true as const }
      throw noTask(id)
    }),
    route(contract.listTaskRuns, (daemon, { params, query }) => listRuns(daemon, params.id, query)),
  ],
}
