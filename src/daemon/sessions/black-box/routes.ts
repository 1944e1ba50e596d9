import * as contract from '../../../contract/sessions/black-box.js'
import { previewContext } from '../../../contract/sessions/preview.js'
import { route } from '../../platform/http/bind.js'
import { listActivity } from './list-activity.js'
import { preview } from './preview-context.js'
import { listBlackBoxes, readBlackBox } from './read-black-box.js'

export const routes = [
  route(contract.listBlackBoxes, (daemon, { caller, query }) => listBlackBoxes(daemon, caller, query)),
  route(contract.blackBox, (daemon, { caller, params, query }) =>
    readBlackBox(daemon, caller, params.key, query),
  ),
  route(contract.sessionActivity, (daemon, { caller, query }) => listActivity(daemon, caller, query)),
  route(previewContext, (daemon, { caller, body }) => preview(daemon, caller, body)),
]
