import * as contract from '../../../contract/agents/tasks.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { leftGroups } from '../../platform/processes/domain.js'
import { Scheduler, schedulers } from './scheduler.js'

/** Prompts that coding agents run on a schedule (tasks.md). */
export const tasks: Domain = {
  routes: lateRoutes(
    [
      contract.createTask,
      contract.listTasks,
      contract.getTask,
      contract.changeTask,
      contract.removeTask,
      contract.runTask,
      contract.cancelTask,
      contract.streamTask,
      contract.listTaskRuns,
    ],
    () => import('./routes.js'),
  ),
  workers: [daemon => schedulers.keep(daemon, new Scheduler(daemon, () => leftGroups.of(daemon).reaped()))],
  recover: async daemon => schedulers.of(daemon).failOrphanedRuns(),
}
