import type { EndpointShape } from '../ground/endpoint.js'
import * as harnessFiles from './harness-files.js'
import * as messages from './messages.js'
import * as plugins from './plugins.js'
import { changeAgent, createAgent, getAgent, listAgents, removeAgent } from './roster.js'
import * as skills from './skills.js'
import * as tasks from './tasks.js'

/** Endpoints of agents, their skills, plugins, messages and tasks. */
export const agentsEndpoints = [
  listAgents,
  getAgent,
  createAgent,
  changeAgent,
  removeAgent,
  messages.listPresence,
  messages.sendMessage,
  messages.readInbox,
  messages.acknowledgeMessage,
  messages.retryMessage,
  harnessFiles.listHarnesses,
  harnessFiles.listConnections,
  harnessFiles.connectHarness,
  harnessFiles.importEarlierSessions,
  harnessFiles.regenerateHarnesses,
  skills.listSkills,
  skills.searchSkills,
  skills.skillAnalytics,
  skills.installSkill,
  skills.getSkill,
  skills.removeSkill,
  skills.recordSkillUse,
  plugins.listPlugins,
  plugins.listPromptContributions,
  plugins.readPluginAudit,
  plugins.getPlugin,
  plugins.diagnosePlugin,
  plugins.changePlugin,
  tasks.createTask,
  tasks.listTasks,
  tasks.getTask,
  tasks.changeTask,
  tasks.removeTask,
  tasks.runTask,
  tasks.cancelTask,
  tasks.streamTask,
  tasks.listTaskRuns,
] as const satisfies readonly EndpointShape[]
