import { AppError } from '../../../../contract/ground/errors.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { RingFault } from '../files/ring.js'
import { stateKeys } from '../state/context.js'
import { TransportFault } from '../transports/transport.js'
import { type ExchangeReport, isOn, readConfig, type SyncRuntime, syncOf } from './config.js'
import { exchangeOnce } from './exchange.js'
import { finishJoin } from './join.js'
import { newCounts } from './place.js'

const firstWaitMs = 10_000
const longestWaitMs = 600_000

/** Runs one exchange, or looks for the answer of a machine that this one asked to join. */
export function runExchange(daemon: Daemon): Promise<ExchangeReport | undefined> {
  const runtime = syncOf(daemon)
  return runtime.inLine(async () => {
    const config = await readConfig(daemon.store.tables)
    runtime.isActive = isOn(config)
    if (!isOn(config)) return undefined
    const report = newReport(daemon)
    // Known until this exchange has looked, so that a status meanwhile does not deny it.
    report.requests = runtime.report?.requests ?? 0
    runtime.report = report
    const change = await daemon.store.tables.meta.lastChange()
    try {
      if (config.phase === 'on' || (await finishJoin(daemon, config, report)))
        await exchangeOnce(daemon, config, report, runtime)
      runtime.collected = Math.max(change, await collectedUpTo(daemon, change))
    } catch (error) {
      report.problem = problemOf(error)
      if (report.problem === null) throw error
      daemon.log.warn({ reason: report.problem }, 'sync could not finish')
    } finally {
      report.running = false
      report.waiting = null
      noteEnd(runtime, report.problem === null)
    }
    return report
  })
}

/** After a failure the next look by itself waits longer each time, up to ten minutes, with jitter. */
function noteEnd(runtime: SyncRuntime, isDone: boolean): void {
  runtime.failures = isDone ? 0 : runtime.failures + 1
  const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(runtime.failures - 1, 20))
  runtime.notBefore = isDone ? 0 : Date.now() + waitMs * (1 + Math.random() / 4)
}

/** Changes that the exchange itself wrote begin no other one. */
async function collectedUpTo({ store }: Daemon, change: number): Promise<number> {
  return Number((await store.tables.sync.get(stateKeys.collected)) ?? change)
}

/** A report before anything was done. */
export function newReport({ clock }: Pick<Daemon, 'clock'>): ExchangeReport {
  return {
    ...{ at: clock().toISOString(), running: true, collected: 0, sentSegments: 0, readRecords: 0 },
    ...{ toRead: 0, faults: [], problem: null, requests: 0, ...newCounts() },
  }
}

/** A sentence for faults that a person can do something about; null for a bug. */
function problemOf(error: unknown): string | null {
  const isKnown = error instanceof TransportFault || error instanceof AppError || error instanceof RingFault
  return isKnown ? error.message : null
}
