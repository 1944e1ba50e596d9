import * as contract from '../../../contract/operations/git.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { changeConfig, configOf } from './config.js'
import { createGitWorker } from './git-worker.js'
import { initRepository } from './init.js'
import { runAction } from './run-action.js'
import { gitStatusOf } from './status.js'

/** The workspace as a git repository: settings, texts, skills and transcripts (operations.md 1). */
export const git: Domain = {
  routes: [
    route(contract.gitStatus, daemon => gitStatusOf(daemon)),
    route(contract.gitPull, daemon => runAction(daemon, 'pull')),
    route(contract.gitPush, daemon => runAction(daemon, 'push')),
    route(contract.gitSync, daemon => runAction(daemon, 'sync')),
    route(contract.gitInit, (daemon, { body }) => initRepository(daemon, body)),
    route(contract.getGitConfig, async daemon => configOf(daemon)),
    route(contract.setGitConfig, async (daemon, { body }) => changeConfig(daemon, body)),
  ],
  workers: [createGitWorker],
}
