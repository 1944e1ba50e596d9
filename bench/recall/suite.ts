import { type MeasuredDaemon, startMeasuredDaemon } from '../daemon/daemon-process.js'
import { startFakeProvider } from '../daemon/fake-provider.js'
import { fillWorkspace, temporaryWorkspace } from '../daemon/workspace.js'
import { calibrationMs, percentile } from '../index/measure.js'
import { startBaseline } from './baseline.js'

export interface RecallMeasurement {
  system: string
  rows: number
  clients: number
  p50Ms: number
  p95Ms: number
  perSecond: number
  /** Fewest and most recalls that one client made out of the shared total. */
  turns: [number, number]
  /** The daemon's cost of one recall over all threads, and its event loop delay; absent for baselines. */
  load?: { cpuMs: number; loopP99Ms: number; loopMaxMs: number }
}

export interface RecallSuiteResult {
  measurements: RecallMeasurement[]
  /** Median processor time of a fixed loop in the same run: a measure of the machine's current speed. */
  calibrationMs: number
  /**
   * Milliseconds from spawn to serving requests: without a snapshot (the rebuild runs in the background), and
   * with one.
   */
  starts: {
    rows: number
    withoutSnapshotMs: number
    rebuiltMs: number
    withSnapshotMs: number
    loadedMs: number
    rssMb: number | undefined
  }[]
}

const asked = 200
const warmUps = 5

/** Measures recall over HTTP with one client and with ten, next to FTS5 and stock Orama. */
export async function runRecallSuite({
  sizes = [10_000, 100_000],
  maxOramaRows = 10_000,
}: {
  sizes?: readonly number[]
  maxOramaRows?: number
} = {}): Promise<RecallSuiteResult> {
  const result: RecallSuiteResult = { measurements: [], calibrationMs: 0, starts: [] }
  const calibrations = [calibrationMs()]
  for (const rows of sizes) {
    await measureService(rows, result)
    calibrations.push(calibrationMs())
    const baselines =
      rows <= maxOramaRows ? (['sqlite fts5', 'stock orama'] as const) : (['sqlite fts5'] as const)
    for (const system of baselines) {
      const baseline = await startBaseline(system, rows)
      for (const clients of [1, 10])
        result.measurements.push({
          system,
          rows,
          clients,
          ...(await measure(baseline.ask, clients, baseline.query, 40)),
        })
      baseline.close()
    }
  }
  return { ...result, calibrationMs: percentile(calibrations, 0.5) }
}

async function measureService(rows: number, result: RecallSuiteResult): Promise<void> {
  const provider = await startFakeProvider()
  const workspace = temporaryWorkspace(provider.settings)
  const memories = await fillWorkspace(workspace.folder, rows)
  const first = await startMeasuredDaemon(workspace.folder)
  const rebuiltMs = await loaded(first)
  await first.stop()
  const daemon = await startMeasuredDaemon(workspace.folder)
  const loadedMs = await loaded(daemon)
  for (const clients of [1, 10]) {
    const ask = async (query: string) => (await daemon.ask('POST', '/api/memory/recall', { query })).ms
    const before = await daemon.load()
    const measured = await measure(ask, clients, () => memories.query(), asked)
    const after = await daemon.load()
    const cpuMs = (after.cpuMs - before.cpuMs) / (asked + warmUps)
    const { loopP99Ms, loopMaxMs } = after
    result.measurements.push({
      system: 'memory-service',
      rows,
      clients,
      ...measured,
      load: { cpuMs, loopP99Ms, loopMaxMs },
    })
  }
  result.starts.push({
    rows,
    withoutSnapshotMs: first.readyMs,
    rebuiltMs,
    withSnapshotMs: daemon.readyMs,
    loadedMs,
    rssMb: daemon.rssMb(),
  })
  await daemon.stop()
  workspace.remove()
  provider.close()
}

/** Milliseconds until every stored row is in the index. */
async function loaded(daemon: MeasuredDaemon): Promise<number> {
  const started = performance.now()
  while ((await daemon.ask('GET', '/api/status')).body.index.state !== 'ready')
    await new Promise(resolve => setTimeout(resolve, 20))
  return performance.now() - started
}

async function measure(
  ask: (query: string) => Promise<number>,
  clients: number,
  query: () => string,
  count: number,
): Promise<Pick<RecallMeasurement, 'p50Ms' | 'p95Ms' | 'perSecond' | 'turns'>> {
  for (let warm = 0; warm < warmUps; warm++) await ask(query())
  const times: number[] = []
  const started = performance.now()
  // All clients share one counter, which reveals whether one is served more often than others.
  let left = count
  const client = async (): Promise<number> => {
    let turns = 0
    for (; left-- > 0; turns++) times.push(await ask(query()))
    return turns
  }
  const turns = await Promise.all(Array.from({ length: clients }, client))
  const seconds = (performance.now() - started) / 1000
  return {
    p50Ms: percentile(times, 0.5),
    p95Ms: percentile(times, 0.95),
    perSecond: times.length / seconds,
    turns: [Math.min(...turns), Math.max(...turns)],
  }
}

export function formatRecallSuite(result: RecallSuiteResult): string {
  const { measurements, calibrationMs: calibration, starts } = result
  const lines = [
    '| rows | system | clients | p50 ms | p95 ms | per second | turns of a client | CPU ms a recall | in fixed loops | loop delay p99, max |',
    '|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|',
  ]
  for (const { rows, system, clients, p50Ms, p95Ms, perSecond, turns, load } of measurements) {
    const cost = load ? [load.cpuMs.toFixed(1), (load.cpuMs / calibration).toFixed(2)] : ['', '']
    const delay = load ? `${load.loopP99Ms.toFixed(0)}, ${load.loopMaxMs.toFixed(0)} ms` : ''
    const times = [p50Ms.toFixed(1), p95Ms.toFixed(1), perSecond.toFixed(0), turns.join(' to ')]
    lines.push(`| ${[rows.toLocaleString('en'), system, clients, ...times, ...cost, delay].join(' | ')} |`)
  }
  lines.push('', `The fixed loop took ${calibration.toFixed(0)} ms of processor.`)
  lines.push(
    '',
    '| rows | ready, no snapshot | rebuilt after | ready, snapshot | loaded after | RSS |',
    '|--:|--:|--:|--:|--:|--:|',
  )
  for (const start of starts) {
    const cells = [start.withoutSnapshotMs, start.rebuiltMs, start.withSnapshotMs, start.loadedMs].map(
      ms => `${ms.toFixed(0)} ms`,
    )
    lines.push(
      `| ${[start.rows.toLocaleString('en'), ...cells, `${start.rssMb?.toFixed(0) ?? '?'} MB`].join(' | ')} |`,
    )
  }
  return lines.join('\n')
}
