import * as contract from '../../../contract/operations/storage.js'
import { route } from '../../platform/http/bind.js'
import { confirmMove, planMove } from './plan-move.js'
import { checkStorage, storageStatus } from './status.js'

export const routes = [
  route(contract.storageStatus, daemon => storageStatus(daemon)),
  route(contract.checkStorage, (daemon, { body }) => checkStorage(daemon, body)),
  route(contract.moveStorage, (daemon, { body }) => planMove(daemon, body)),
  route(contract.confirmStorage, (daemon, { body }) => confirmMove(daemon, body)),
]
