import * as contract from '../../../contract/platform/inference.js'
import type { Domain } from '../domain.js'
import { route } from '../http/bind.js'
import { inferenceStatus } from './inference-status.js'

/** The language model that may be asked. */
export const inference: Domain = {
  routes: [route(contract.inferenceStatus, daemon => inferenceStatus(daemon))],
}
