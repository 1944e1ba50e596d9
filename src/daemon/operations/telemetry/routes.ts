import { Readable } from 'node:stream'
import type { Reply } from '../../../contract/api.js'
import { notFound } from '../../../contract/ground/errors.js'
import type { StoredEvent } from '../../../contract/operations/telemetry/telemetry.js'
import * as contract from '../../../contract/operations/telemetry/telemetry.js'
import { telemetryStats as statsContract } from '../../../contract/operations/telemetry/telemetry-stats.js'
import type { EventFilter } from '../../../store/tables/operations/telemetry.js'
import { telemetryEnabled } from '../../ground/recording/record-event.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { telemetryHealth } from './health.js'
import { telemetryStats } from './stats/stats.js'

type Deps = Pick<Daemon, 'store' | 'telemetry' | 'configuration' | 'environment'>

const linesTogether = 500

export const routes = [
  route(contract.telemetryEvents, (daemon, { query }) => listEvents(daemon, query)),
  route(contract.telemetryHealth, daemon => telemetryHealth(daemon)),
  route(statsContract, (daemon, { query }) => telemetryStats(daemon, query)),
  route(contract.exportTelemetry, (daemon, { query }) => exportEvents(daemon, query)),
]

/** `GET /api/telemetry/events`: the newest matching events, oldest first, including those still buffered. */
async function listEvents(
  deps: Deps,
  { limit, ...filter }: EventFilter & { limit: number },
): Promise<Reply<'GET /api/telemetry/events'>> {
  return { events: await newest(deps, filter, limit), enabled: telemetryEnabled(deps) }
}

/** `GET /api/telemetry/export`. @throws AppError `not_found` while telemetry is off. */
async function exportEvents(
  deps: Deps,
  { limit, ...filter }: Pick<EventFilter, 'since'> & { limit: number },
): Promise<Readable> {
  if (!telemetryEnabled(deps)) throw notFound('telemetry is off', 'memory telemetry on enables it')
  return Readable.from(lines(await newest(deps, filter, limit)))
}

async function newest(
  { store, telemetry }: Deps,
  filter: EventFilter,
  limit: number,
): Promise<StoredEvent[]> {
  await telemetry.flush()
  const rows = await store.tables.telemetry.newest(filter, limit)
  return rows
    .reverse()
    .map(({ event, properties, at }) => ({ event, properties: JSON.parse(properties), timestamp: at }))
}

function* lines(events: readonly StoredEvent[]): Generator<string> {
  for (let from = 0; from < events.length; from += linesTogether)
    yield events
      .slice(from, from + linesTogether)
      .map(event => `${JSON.stringify(event)}\n`)
      .join('')
}
