import * as contract from '../../../contract/operations/telemetry/telemetry.js'
import { telemetryStats as statsContract } from '../../../contract/operations/telemetry/telemetry-stats.js'
import { route } from '../../platform/http/bind.js'
import { exportEvents, listEvents } from './events.js'
import { telemetryHealth } from './health.js'
import { telemetryStats } from './stats/stats.js'

export const routes = [
  route(contract.telemetryEvents, (daemon, { query }) => listEvents(daemon, query)),
  route(contract.telemetryHealth, daemon => telemetryHealth(daemon)),
  route(statsContract, (daemon, { query }) => telemetryStats(daemon, query)),
  route(contract.exportTelemetry, (daemon, { query }) => exportEvents(daemon, query)),
]
