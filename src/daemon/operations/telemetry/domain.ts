import * as contract from '../../../contract/operations/telemetry/telemetry.js'
import { telemetryStats as statsContract } from '../../../contract/operations/telemetry/telemetry-stats.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createTelemetryWorker } from './telemetry-worker.js'

/** Usage events, which stay on this machine unless delivery is configured (telemetry.md 3). */
export const telemetry: Domain = {
  routes: lateRoutes(
    [contract.telemetryEvents, contract.telemetryHealth, statsContract, contract.exportTelemetry],
    () => import('./routes.js'),
  ),
  workers: [createTelemetryWorker],
}
