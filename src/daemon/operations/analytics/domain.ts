import * as contract from '../../../contract/operations/analytics.js'
import { storedInjections } from '../../../contract/operations/analytics.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createPeriodicWork } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'

/** Request counts, latencies and errors of the daemon (telemetry.md 2). */
export const analytics: Domain = {
  routes: lateRoutes(
    [
      contract.usage,
      contract.days,
      contract.latency,
      contract.errors,
      contract.memorySafety,
      contract.continuity,
      contract.latestContinuity,
    ],
    () => import('./routes.js'),
  ),
  workers: [createInjectedContextWorker],
}

type Deps = Pick<Daemon, 'store' | 'requestCounts' | 'clock' | 'log'>

/**
 * Persists the counts of injected context and those by day, because the daemon exits when idle and the
 * figures must survive. A kill loses at most the last minute.
 */
function createInjectedContextWorker({ store, requestCounts, clock, log }: Deps): Worker {
  const state = { written: undefined as string | undefined, hasGoneOn: false }
  const goOn = async (): Promise<void> => {
    const text = await store.tables.meta.injected()
    const { data } = storedInjections.safeParse(jsonOf(text ?? ''))
    if (data) requestCounts.injected.goOn(data, clock())
    if (data?.days) requestCounts.daily.goOn(data.days)
    state.hasGoneOn = true
  }
  const keep = async (): Promise<void> => {
    if (!state.hasGoneOn) await goOn()
    const days = requestCounts.daily.kept()
    const text = JSON.stringify({ ...requestCounts.injected.kept(clock()), days })
    if (days.length === 0 || text === state.written) return
    await store.write({ until: 'executed' }, ({ meta }) => meta.noteInjected(text))
    state.written = text
  }
  const onError = (error: unknown): void => log.warn({ err: error }, 'counts of injected context not saved')
  const work = createPeriodicWork({ run: keep, onError })
  return {
    start: work.start,
    close: async () => {
      await work.close()
      if (state.hasGoneOn) await keep().catch(onError)
    },
  }
}
