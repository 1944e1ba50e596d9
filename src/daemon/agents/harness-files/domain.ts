import * as contract from '../../../contract/agents/harness-files.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { listHarnesses } from './list-harnesses.js'
import { regenerate } from './regenerate.js'

/** Files of coding agents on this machine (skills.md 7 and 8). What it runs ends with the programs of `skills`. */
export const harnessFiles: Domain = {
  routes: [
    route(contract.listHarnesses, daemon => listHarnesses(daemon)),
    route(contract.regenerateHarnesses, daemon => regenerate(daemon)),
  ],
}
