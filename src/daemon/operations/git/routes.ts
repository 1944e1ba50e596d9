import * as contract from '../../../contract/operations/git.js'
import { route } from '../../platform/http/bind.js'
import { changeConfig, configOf } from './config.js'
import { initRepository } from './init.js'
import { runAction } from './run-action.js'
import { gitStatusOf } from './status.js'
import { decideWaitingSettings, readWaitingSettings } from './waiting-settings.js'

export const routes = [
  route(contract.gitStatus, daemon => gitStatusOf(daemon)),
  route(contract.gitPull, daemon => runAction(daemon, 'pull')),
  route(contract.gitPush, daemon => runAction(daemon, 'push')),
  route(contract.gitSync, daemon => runAction(daemon, 'sync')),
  route(contract.gitInit, (daemon, { body }) => initRepository(daemon, body)),
  route(contract.getGitConfig, async daemon => configOf(daemon)),
  route(contract.readWaitingSettings, async daemon => readWaitingSettings(daemon)),
  route(contract.decideWaitingSettings, async (daemon, { caller, body }) =>
    decideWaitingSettings(daemon, caller, body),
  ),
  route(contract.setGitConfig, async (daemon, { body }) => changeConfig(daemon, body)),
]
