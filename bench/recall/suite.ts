import { type MeasuredDaemon, startMeasuredDaemon } from '../daemon/daemon-process.js'
import { startFakeProvider } from '../daemon/fake-provider.js'
import { fillWorkspace, temporaryWorkspace } from '../daemon/workspace.js'
import { percentile } from '../index/measure.js'
import { startBaseline } from './baseline.js'

export interface RecallMeasurement {
  system: string
  rows: number
  clients: number
  p50Ms: number
  p95Ms: number
  perSecond: number
}

export interface RecallSuiteResult {
  measurements: RecallMeasurement[]
  /** Milliseconds from spawn to serving requests: without a snapshot (rebuild goes on behind), and with one. */
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

/** Recall as callers see it, over HTTP, by one client and by ten at once, next to the same over FTS5 and stock Orama. */
export async function runRecallSuite({
  sizes = [10_000, 100_000],
  maxOramaRows = 10_000,
}: {
  sizes?: readonly number[]
  maxOramaRows?: number
} = {}): Promise<RecallSuiteResult> {
  const result: RecallSuiteResult = { measurements: [], starts: [] }
  for (const rows of sizes) {
    await measureService(rows, result)
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
  return result
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
    result.measurements.push({
      system: 'memory-service',
      rows,
      clients,
      ...(await measure(ask, clients, () => memories.query(), asked)),
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
): Promise<Pick<RecallMeasurement, 'p50Ms' | 'p95Ms' | 'perSecond'>> {
  for (let warm = 0; warm < 5; warm++) await ask(query())
  const times: number[] = []
  const started = performance.now()
  const client = async (): Promise<void> => {
    for (let n = 0; n < count / clients; n++) times.push(await ask(query()))
  }
  await Promise.all(Array.from({ length: clients }, client))
  const seconds = (performance.now() - started) / 1000
  return { p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95), perSecond: times.length / seconds }
}

export function formatRecallSuite({ measurements, starts }: RecallSuiteResult): string {
  const lines = ['| rows | system | clients | p50 ms | p95 ms | per second |', '|--:|---|--:|--:|--:|--:|']
  for (const { rows, system, clients, p50Ms, p95Ms, perSecond } of measurements)
    lines.push(
      `| ${rows.toLocaleString('en')} | ${system} | ${clients} | ${p50Ms.toFixed(1)} | ${p95Ms.toFixed(1)} | ${perSecond.toFixed(0)} |`,
    )
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
