import * as contract from '../../../contract/platform/inference.js'
import { route } from '../http/bind.js'
import { inferenceStatus } from './inference-status.js'

export const routes = [route(contract.inferenceStatus, daemon => inferenceStatus(daemon))]
