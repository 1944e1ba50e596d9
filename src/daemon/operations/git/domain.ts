import * as contract from '../../../contract/operations/git.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/late-routes.js'
import { createGitWorker } from './git-worker.js'

/** The workspace as a git repository: settings, texts, skills and transcripts (operations.md 1). */
export const git: Domain = {
  routes: lateRoutes(
    [
      contract.gitStatus,
      contract.gitPull,
      contract.gitPush,
      contract.gitSync,
      contract.gitInit,
      contract.getGitConfig,
      contract.setGitConfig,
      contract.readWaitingSettings,
      contract.decideWaitingSettings,
    ],
    () => import('./routes.js'),
  ),
  workers: [createGitWorker],
}
