import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { IndexMeasurement } from './one.js'

export interface IndexSuiteOptions {
  /** Numbers of rows; 10,000, 100,000 and 1,000,000 by default. */
  sizes?: readonly number[]
  /** Largest size for the other engines: stock Orama needs minutes beyond it. */
  maxBaselineRows?: number
}

const script = fileURLToPath(new URL('./one.ts', import.meta.url))
const run = promisify(execFile)

/**
 * Measures the index, stock Orama and SQLite FTS5 on the same synthetic memories, each in its own process.
 * Compare ratios only: milliseconds depend on the machine and its other load.
 */
export async function runIndexSuite(options: IndexSuiteOptions = {}): Promise<IndexMeasurement[]> {
  const { sizes = [10_000, 100_000, 1_000_000], maxBaselineRows = 100_000 } = options
  const measurements: IndexMeasurement[] = []
  for (const rows of sizes) {
    const names = rows <= maxBaselineRows ? ['packed', 'sqlite fts5', 'stock orama'] : ['packed']
    for (const name of names) measurements.push(await measureInProcess(name, rows))
  }
  return measurements
}

async function measureInProcess(name: string, rows: number): Promise<IndexMeasurement> {
  const flags = ['--expose-gc', '--max-old-space-size=6000', '--import=tsx']
  const { stdout } = await run(process.execPath, [...flags, script, name, String(rows)])
  return JSON.parse(stdout)
}

/** Formats a Markdown table with one line for each figure. */
export function formatIndexSuite(measurements: readonly IndexMeasurement[]): string {
  const lines = ['| rows | engine | measurement | p50 ms | p95 ms | CPU ms |', '|--:|---|---|--:|--:|--:|']
  for (const { rows, contender, ...measured } of measurements) {
    const add = (label: string, ...values: string[]) =>
      lines.push(
        `| ${[rows.toLocaleString('en'), contender, label, ...values, '', ''].slice(0, 6).join(' | ')} |`,
      )
    add('insert all', measured.insertMs.toFixed(0), '', measured.insertCpuMs.toFixed(0))
    add('memory, MB', (measured.heldBytes / 1e6).toFixed(0))
    for (const [kind, { p50Ms, p95Ms, cpuMs }] of Object.entries(measured.queries)) {
      add(kind, p50Ms.toFixed(2), p95Ms.toFixed(2), cpuMs.toFixed(2))
    }
    for (const [label, value] of Object.entries(measured.extras))
      add(label, value.toFixed(value < 100 ? 2 : 0))
    add(
      'event loop delay, p99 and max',
      measured.loopDelayP99Ms.toFixed(1),
      measured.loopDelayMaxMs.toFixed(1),
    )
  }
  return lines.join('\n')
}
