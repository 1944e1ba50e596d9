import * as contract from '../../../contract/operations/telemetry/telemetry.js'
import { telemetryStats as statsContract } from '../../../contract/operations/telemetry/telemetry-stats.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { exportEvents, listEvents } from './events.js'
import { telemetryHealth } from './health.js'
import { telemetryStats } from './stats/stats.js'
import { createTelemetryWorker } from './telemetry-worker.js'

/** Events of what happened, which stay on this machine (telemetry.md 3). */
export const telemetry: Domain = {
  routes: [
    route(contract.telemetryEvents, (daemon, { query }) => listEvents(daemon, query)),
    route(contract.telemetryHealth, daemon => telemetryHealth(daemon)),
    route(statsContract, (daemon, { query }) => telemetryStats(daemon, query)),
    route(contract.exportTelemetry, (daemon, { query }) => exportEvents(daemon, query)),
  ],
  workers: [createTelemetryWorker],
}
