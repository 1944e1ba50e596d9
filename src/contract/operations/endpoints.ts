import type { EndpointShape } from '../ground/endpoint.js'
import * as git from './git.js'
import * as system from './system.js'
import * as transfer from './transfer.js'
import * as updates from './updates.js'

/** The process itself, and taking memories out and in: the endpoints of this area. */
export const operationsEndpoints = [
  system.health,
  system.ready,
  system.status,
  system.openapi,
  system.docs,
  system.shutdown,
  system.pullModel,
  git.gitStatus,
  git.gitPull,
  git.gitPush,
  git.gitSync,
  git.gitInit,
  git.getGitConfig,
  git.setGitConfig,
  transfer.exportMemories,
  transfer.importMemories,
  updates.checkUpdate,
  updates.getUpdateConfig,
  updates.setUpdateConfig,
  updates.runUpdate,
] as const satisfies readonly EndpointShape[]
