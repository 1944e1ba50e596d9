import { systemWait } from '../../../ground/fetch/api-faults.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { openTransport, type SyncPlace } from '../transports/open-transport.js'
import { patient, type TransportCounts } from '../transports/patient.js'
import { type Transport, TransportFault } from '../transports/transport.js'
import { syncOf } from './config.js'

type Deps = Pick<Daemon, 'store' | 'paths' | 'log' | 'environment' | 'secrets'>

/**
 * The place of the sync. Its connections stay open until another place is used, or `closePlace`.
 * @param counts gets what this use sends, reads and repeats
 * @throws AppError `validation_failed` for an address that can't be used
 */
export async function transportOf(
  deps: Deps,
  { address, credentials }: SyncPlace,
  counts: TransportCounts = newCounts(),
): Promise<Transport> {
  const runtime = syncOf(deps)
  const key = JSON.stringify([address, credentials])
  if (runtime.place?.key !== key) {
    await closePlace(deps)
    const life = new AbortController()
    const transport = await openTransport(deps, { address, credentials }, life.signal)
    runtime.place = { key, transport, life }
  }
  const { transport, life } = runtime.place
  return patient(transport, { signal: life.signal, wait: systemWait, counts })
}

/** Ends running requests and connections. */
export async function closePlace(deps: Pick<Daemon, 'store'>): Promise<void> {
  const runtime = syncOf(deps)
  const { place } = runtime
  runtime.place = undefined
  place?.life.abort(new TransportFault('the exchange was interrupted'))
  await place?.transport.close()
}

export function newCounts(): TransportCounts {
  return { sentBytes: 0, readBytes: 0, retries: 0, waiting: null }
}
