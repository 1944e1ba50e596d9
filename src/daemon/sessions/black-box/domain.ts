import * as contract from '../../../contract/sessions/black-box.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { listBlackBoxes, readBlackBox } from './read-black-box.js'

/** What a session was told and did (rules.md 4.11). */
export const blackBox: Domain = {
  routes: [
    route(contract.listBlackBoxes, (daemon, { caller, query }) => listBlackBoxes(daemon, caller, query)),
    route(contract.blackBox, (daemon, { caller, params, query }) =>
      readBlackBox(daemon, caller, params.key, query),
    ),
  ],
}
