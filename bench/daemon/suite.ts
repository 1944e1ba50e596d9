import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { environmentNote, measuredEnvironment } from '../environment.js'
import { percentile } from '../index/measure.js'
import { type MeasuredDaemon, startMeasuredDaemon } from './daemon-process.js'
import { fillWorkspace, temporaryWorkspace } from './workspace.js'

export interface Figure {
  name: string
  value: number
  unit: string
  p95?: number
}

const starts = 10
const saves = 1000
const cliRuns = 20
const bin = join(import.meta.dirname, '..', '..', 'bin', 'run.js')
const run = promisify(execFile)

/**
 * Measures starts, saves (without a provider and with an unreachable one), memory, and the CLI against `node
 * -e 0`.
 */
export async function runDaemonSuite(): Promise<Figure[]> {
  return [
    ...(await measureStarts()),
    ...(await measureSaves('no provider', { embedding: { provider: 'none' } })),
    // Port 9 (discard) refuses connections at once on nearly every machine.
    ...(await measureSaves('dead provider', {
      embedding: { provider: 'openai', model: 'x', baseUrl: 'http://127.0.0.1:9/v1', dimensions: 384 },
    })),
    ...(await measureCli()),
  ]
}

async function measureStarts(): Promise<Figure[]> {
  const times: number[] = []
  const rss: number[] = []
  for (let round = 0; round < starts; round++) {
    const workspace = temporaryWorkspace()
    const daemon = await startMeasuredDaemon(workspace.folder)
    times.push(daemon.readyMs)
    rss.push(daemon.rssMb() ?? Number.NaN)
    await daemon.stop()
    workspace.remove()
  }
  return [
    figure('ready, empty workspace', times, 'ms'),
    figure('RSS after start, no model loaded', rss, 'MB'),
    ...(await measureFilledStart()),
  ]
}

async function measureFilledStart(): Promise<Figure[]> {
  const workspace = temporaryWorkspace()
  await fillWorkspace(workspace.folder, 10_000)
  const first = await startMeasuredDaemon(workspace.folder)
  while ((await first.ask('GET', '/api/status')).body.index.state !== 'ready') await new Promise(setImmediate)
  await first.stop()
  const times: number[] = []
  for (let round = 0; round < starts; round++) {
    const daemon = await startMeasuredDaemon(workspace.folder)
    times.push(daemon.readyMs)
    await daemon.stop()
  }
  workspace.remove()
  return [figure('ready, 10,000 memories', times, 'ms')]
}

async function measureSaves(name: string, settings: object): Promise<Figure[]> {
  const workspace = temporaryWorkspace(settings)
  const daemon = await startMeasuredDaemon(workspace.folder)
  const times: number[] = []
  for (let n = 0; n < saves; n++) {
    const content = `note ${n}: the harbour crane number ${n * 7919} moved ${n % 13} containers`
    const { ms, status } = await daemon.ask('POST', '/api/memory/remember', { content })
    if (status !== 200) throw new Error(`a save answered ${status}`)
    times.push(ms)
  }
  await daemon.stop()
  workspace.remove()
  return [figure(`remember, ${name}, ${saves} in a row`, times, 'ms')]
}

/** Runs both commands in turns against a warm daemon, so that other load affects both alike. */
async function measureCli(): Promise<Figure[]> {
  const workspace = temporaryWorkspace()
  const daemon = await startMeasuredDaemon(workspace.folder)
  await fill(daemon)
  const recall: number[] = []
  const node: number[] = []
  for (let round = 0; round < cliRuns; round++) {
    node.push(await wallMs(['-e', '0'], workspace.folder))
    recall.push(await wallMs([bin, 'recall', 'harbour', 'crane'], workspace.folder))
  }
  await daemon.stop()
  workspace.remove()
  const ratio = percentile(recall, 0.5) / percentile(node, 0.5)
  return [
    figure('node -e 0', node, 'ms'),
    figure('memory recall, warm', recall, 'ms'),
    { name: 'memory recall / node -e 0', value: ratio, unit: 'times' },
  ]
}

async function fill(daemon: MeasuredDaemon): Promise<void> {
  for (let n = 0; n < 20; n++)
    await daemon.ask('POST', '/api/memory/remember', { content: `the harbour crane lifts load ${n}` })
}

async function wallMs(args: string[], workspace: string): Promise<number> {
  const started = performance.now()
  await run(process.execPath, args, {
    env: measuredEnvironment({ SERVICE_WORKSPACE: workspace, SERVICE_NO_AUTOSTART: '1' }),
  })
  return performance.now() - started
}

function figure(name: string, values: readonly number[], unit: string): Figure {
  return { name, value: percentile(values, 0.5), p95: percentile(values, 0.95), unit }
}

export function formatDaemonSuite(figures: readonly Figure[]): string {
  const lines = ['| what | p50 | p95 |', '|---|--:|--:|']
  for (const { name, value, p95, unit } of figures)
    lines.push(
      `| ${name} | ${value.toFixed(2)} ${unit} | ${p95 === undefined ? '' : `${p95.toFixed(2)} ${unit}`} |`,
    )
  return [...lines, '', environmentNote].join('\n')
}
