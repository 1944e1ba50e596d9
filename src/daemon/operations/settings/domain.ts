import * as contract from '../../../contract/operations/settings-file.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { readSettings } from './read-settings.js'
import { writeSettings } from './write-settings.js'

/** agent.yaml for those who edit it elsewhere than in a file (rules.md#settings). */
export const settings: Domain = {
  routes: [
    route(contract.readSettings, async daemon => readSettings(daemon)),
    route(contract.writeSettings, async (daemon, { caller, body }) => writeSettings(daemon, caller, body)),
  ],
}
