import * as contract from '../../../contract/operations/settings-file.js'
import { route } from '../../platform/http/bind.js'
import { readSettings } from './read-settings.js'
import { writeSettings } from './write-settings.js'

export const routes = [
  route(contract.readSettings, async daemon => readSettings(daemon)),
  route(contract.writeSettings, async (daemon, { caller, body }) => writeSettings(daemon, caller, body)),
]
