import * as contract from '../../../../contract/knowledge/dreaming.js'
import { route } from '../../../platform/http/bind.js'
import { triggerPass } from './dreaming-worker.js'
import { dreamStatus } from './status.js'

export const routes = [
  route(contract.dreamStatus, daemon => dreamStatus(daemon)),
  route(contract.triggerDream, daemon => triggerPass(daemon)),
]
