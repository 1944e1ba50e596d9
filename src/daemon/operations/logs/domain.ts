import * as contract from '../../../contract/operations/logs.js'
import { createDaemonState } from '../../platform/daemon/daemon.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { LogStreams } from './log-streams.js'

const streams = createDaemonState<LogStreams>()

/** The daemon's recent log entries and the live stream (telemetry.md 1). */
export const logs: Domain = {
  routes: [
    route(contract.listLogs, async ({ recentLogs }, { query: { limit, ...filter } }) => {
      const found = recentLogs.list(filter, limit)
      return { logs: found, count: found.length }
    }),
    route(contract.streamLogs, async (daemon, { query }) => streams.of(daemon).open(query)),
  ],
  workers: [
    daemon => {
      const followed = streams.keep(daemon, new LogStreams(daemon))
      return { start: () => undefined, stopping: () => followed.end(), close: async () => followed.end() }
    },
  ],
}
