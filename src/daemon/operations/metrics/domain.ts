import * as contract from '../../../contract/operations/system.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { readMetrics } from './read-metrics.js'

/** Counts and sizes for Prometheus (metrics.md). */
export const metrics: Domain = {
  routes: [route(contract.metrics, daemon => readMetrics(daemon))],
}
