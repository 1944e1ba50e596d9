import * as contract from '../../../contract/operations/system.js'
import { route } from '../../platform/http/bind.js'
import { readMetrics } from './read-metrics.js'

export const routes = [route(contract.metrics, daemon => readMetrics(daemon))]
