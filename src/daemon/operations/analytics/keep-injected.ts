import { keptToday } from '../../../contract/operations/analytics.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createPeriodicWork } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'

type Deps = Pick<Daemon, 'store' | 'requestCounts' | 'clock' | 'log'>

/**
 * Keeps what agents were given today over restarts: a daemon ends whenever nobody needs it, and the figure of a day is
 * not that of its last hour. A kill loses the last minute of it.
 */
export function createInjectedKeeper({ store, requestCounts, clock, log }: Deps): Worker {
  const state = { written: undefined as string | undefined, hasGoneOn: false }
  const goOn = async (): Promise<void> => {
    const text = await store.tables.meta.injected()
    const { data } = keptToday.safeParse(jsonOf(text ?? ''))
    if (data) requestCounts.injected.goOn(data, clock())
    state.hasGoneOn = true
  }
  const keep = async (): Promise<void> => {
    if (!state.hasGoneOn) await goOn()
    const kept = requestCounts.injected.kept(clock())
    const text = JSON.stringify(kept)
    if (kept.byHarness.length === 0 || text === state.written) return
    await store.write({ until: 'executed' }, ({ meta }) => meta.noteInjected(text))
    state.written = text
  }
  const onError = (error: unknown): void =>
    log.warn({ err: error }, 'what agents were given today is not kept')
  const work = createPeriodicWork({ run: keep, onError })
  return {
    start: work.start,
    close: async () => {
      await work.close()
      if (state.hasGoneOn) await keep().catch(onError)
    },
  }
}
