import * as harnessFilesContract from '../../contract/agents/harness-files.js'
import * as messagesContract from '../../contract/agents/messages.js'
import * as pluginsContract from '../../contract/agents/plugins.js'
import * as skillsContract from '../../contract/agents/skills.js'
import * as contract from '../../contract/agents/tasks.js'
import type { Domain } from '../platform/domain.js'
import { leftGroups } from '../platform/domains.js'
import { lateRoutes } from '../platform/http/bind-all.js'
import { closeLostRelays } from './messages/relay-message.js'
import { createRunsWorker, runningKeys } from './programs/runs.js'
import { tidyStaging } from './skills/install-skill.js'
import { Scheduler, schedulers } from './tasks/scheduler.js'

/** Messages between agents (messages.md). */
export const messages: Domain = {
  routes: lateRoutes(
    [
      messagesContract.listPresence,
      messagesContract.sendMessage,
      messagesContract.readInbox,
      messagesContract.acknowledgeMessage,
      messagesContract.retryMessage,
    ],
    () => import('./messages/routes.js'),
  ),
  recoverRows: closeLostRelays,
}

export const plugins: Domain = {
  recover: daemon => daemon.plugins.refresh(),
  routes: lateRoutes(
    [
      pluginsContract.listPlugins,
      pluginsContract.listPromptContributions,
      pluginsContract.readPluginAudit,
      pluginsContract.getPlugin,
      pluginsContract.diagnosePlugin,
      pluginsContract.changePlugin,
    ],
    () => import('./plugins/routes.js'),
  ),
}

/**
 * Lists and regenerates files of coding agents on this machine (skills.md 7 and 8). The `skills` domain ends
 * its programs.
 */
export const harnessFiles: Domain = {
  routes: lateRoutes(
    [
      harnessFilesContract.listHarnesses,
      harnessFilesContract.regenerateHarnesses,
      harnessFilesContract.listConnections,
      harnessFilesContract.connectHarness,
      harnessFilesContract.importEarlierSessions,
    ],
    () => import('./harness-files/routes.js'),
  ),
}

/** Skills of the workspace (skills.md). */
export const skills: Domain = {
  routes: lateRoutes(
    [
      skillsContract.listSkills,
      skillsContract.searchSkills,
      skillsContract.getSkill,
      skillsContract.installSkill,
      skillsContract.removeSkill,
      skillsContract.recordSkillUse,
      skillsContract.skillAnalytics,
    ],
    () => import('./skills/routes.js'),
  ),
  workers: [createRunsWorker],
  recover: async daemon => {
    if (runningKeys(daemon, 'skill ').length === 0) await tidyStaging(daemon)
  },
}

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
    () => import('./tasks/routes.js'),
  ),
  workers: [daemon => schedulers.keep(daemon, new Scheduler(daemon, () => leftGroups.of(daemon).reaped()))],
  recover: async daemon => schedulers.of(daemon).failOrphanedRuns(),
}
