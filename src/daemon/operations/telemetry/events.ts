import { Readable } from 'node:stream'
import type { Reply } from '../../../contract/api.js'
import { notFound } from '../../../contract/ground/errors.js'
import type { StoredEvent } from '../../../contract/operations/telemetry/telemetry.js'
import type { EventFilter } from '../../../store/tables/operations/telemetry.js'
import { telemetryEnabled } from '../../ground/recording/record-event.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'store' | 'telemetry' | 'configuration' | 'environment'>

const linesTogether = 500

/** `GET /api/telemetry/events`: the newest matching events, oldest first, including those still buffered. */
export async function listEvents(
  deps: Deps,
  { limit, ...filter }: EventFilter & { limit: number },
): Promise<Reply<'GET /api/telemetry/events'>> {
  return { events: await newest(deps, filter, limit), enabled: telemetryEnabled(deps) }
}

/** `GET /api/telemetry/export`. @throws AppError `not_found` while telemetry is off. */
export async function exportEvents(
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
