import * as contract from '../../../contract/operations/updates.js'
import { route } from '../../platform/http/bind.js'
import { checkUpdate } from './check.js'
import { changeUpdateConfig, updateStateOf } from './config.js'
import { installLatest } from './install-latest.js'

export const routes = [
  route(contract.checkUpdate, (daemon, { query }) => checkUpdate(daemon, query)),
  route(contract.getUpdateConfig, daemon => updateStateOf(daemon)),
  route(contract.setUpdateConfig, (daemon, { body }) => changeUpdateConfig(daemon, body)),
  route(contract.runUpdate, daemon => installLatest(daemon)),
]
