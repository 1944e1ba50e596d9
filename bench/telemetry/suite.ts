import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { stringify } from 'yaml'
import { type MeasuredDaemon, startMeasuredDaemon } from '../daemon/daemon-process.js'
import { fillWorkspace, temporaryWorkspace } from '../daemon/workspace.js'
import { percentile } from '../index/measure.js'
import { type Interval, inPoints, interval } from '../quality/paired.js'
import { idle, indexReady } from '../recall/in-turns.js'
import { recordingAlone } from './recording-alone.js'

/** Extra processor time of the same work with recording, and the time of one request. */
export interface Cost {
  more: Interval
  onMs: number
  offMs: number
  /** Extra clock time of a block's median request, pair by pair; load that both sides share cancels out. */
  longer: Interval
  /** Clock time, which is only meaningful on a quiet machine. */
  onP50Ms: number
  offP50Ms: number
}

export interface TelemetryFigures {
  rows: number
  pairs: number
  requests: number
  recall: Cost
  remember: Cost
  /** Both sides record: any difference is noise. */
  recallControl: Cost
  rememberControl: Cost
  /** Processor time of the events of one recall alone. */
  aloneMs: number
}

interface Work {
  /** Requests of one block; the blocks of a pair have the same. */
  requests(pair: number): [path: string, body: object][]
  /** Recording on or off in the first and in the second block of a pair. */
  sides: readonly [boolean, boolean]
}

interface Measured {
  daemon: MeasuredDaemon
  folder: string
}

const requestsTogether = 100

/**
 * Measures the processor time of recording in one daemon: the same requests with recording on and off, in
 * turns, including the deferred writes and counts. Two processes would differ by more than the effect.
 */
export async function runTelemetrySuite({ rows = 10_000, pairs = 30 } = {}): Promise<TelemetryFigures> {
  const { folder, remove } = temporaryWorkspace()
  const memories = await fillWorkspace(folder, rows, { vectors: false })
  const daemon = await startMeasuredDaemon(folder, { PROBE_LOOP: 'off' })
  try {
    await indexReady(daemon, rows)
    await idle(daemon)
    const queries = Array.from({ length: pairs }, () =>
      Array.from({ length: requestsTogether }, () => memories.query()),
    )
    let savedCount = 0
    const recalls: Work['requests'] = pair =>
      (queries[pair] as string[]).map(query => ['/api/memory/recall', { query }])
    const saves: Work['requests'] = pair =>
      (queries[pair] as string[]).map(query => [
        '/api/memory/remember',
        { content: `${query}, note ${savedCount++}` },
      ])
    const costOf = (requests: Work['requests'], sides: Work['sides']): Promise<Cost> =>
      inPairs({ daemon, folder }, { requests, sides }, pairs)
    return {
      rows,
      pairs,
      requests: requestsTogether,
      recall: await costOf(recalls, [true, false]),
      recallControl: await costOf(recalls, [true, true]),
      remember: await costOf(saves, [true, false]),
      rememberControl: await costOf(saves, [true, true]),
      aloneMs: await recordingAlone(),
    }
  } finally {
    await daemon.stop()
    remove()
  }
}

/** The sides alternate in going first; a warm-up pair does not count. */
async function inPairs(measured: Measured, { requests, sides }: Work, pairs: number): Promise<Cost> {
  const spent: [number[], number[]] = [[], []]
  const waited: [number[], number[]] = [[], []]
  const medians: [number[], number[]] = [[], []]
  for (let pair = -1; pair < pairs; pair++)
    for (const side of pair % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      await record(measured, sides[side])
      const block = await answer(measured.daemon, requests(Math.max(0, pair)))
      if (pair < 0) continue
      spent[side].push(block.cpuMs)
      waited[side].push(...block.times)
      medians[side].push(percentile(block.times, 0.5))
    }
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / (pairs * requestsTogether)
  const difference = ([on, off]: [number[], number[]]): Interval =>
    shareOfLogarithm(interval(on.map((ms, pair) => Math.log(ms / (off[pair] as number)))))
  return {
    more: difference(spent),
    longer: difference(medians),
    onMs: mean(spent[0]),
    offMs: mean(spent[1]),
    onP50Ms: percentile(waited[0], 0.5),
    offP50Ms: percentile(waited[1], 0.5),
  }
}

/** Averages logarithms, since the mean ratio of noisy times exceeds one even for equal sides. */
const shareOfLogarithm = ({ mean, half }: Interval): Interval => ({
  mean: Math.expm1(mean),
  half: Math.expm1(half),
})

/** Switches recording on or off in the settings and waits until the daemon has reloaded them. */
async function record({ daemon, folder }: Measured, telemetryEnabled: boolean): Promise<void> {
  const settings = {
    embedding: { provider: 'none' },
    backup: { enabled: false },
    memory: { pipelineV2: { telemetryEnabled } },
  }
  writeFileSync(join(folder, 'agent.yaml'), stringify(settings))
  while ((await daemon.ask('GET', '/api/telemetry/health')).body.enabled !== telemetryEnabled) await delay(20)
  // Waits for the work that follows a change of settings.
  await delay(500)
}

interface Block {
  /** Processor time of the daemon, including writes and counts after the last request. */
  cpuMs: number
  /** Milliseconds of each request. */
  times: number[]
}

async function answer(daemon: MeasuredDaemon, requests: readonly [string, object][]): Promise<Block> {
  const before = (await daemon.load()).cpuMs
  const times: number[] = []
  for (const [path, body] of requests) {
    const { status, ms } = await daemon.ask('POST', path, body)
    if (status >= 300) throw new Error(`${path} answered ${status}`)
    times.push(ms)
  }
  await daemon.ask('GET', '/api/telemetry/stats')
  return { cpuMs: (await daemon.load()).cpuMs - before, times }
}

export function formatTelemetrySuite(figures: TelemetryFigures): string {
  const { rows, pairs, requests, recall, recallControl, remember, rememberControl, aloneMs } = figures
  const row = (name: string, { more, longer, onMs, offMs, onP50Ms, offP50Ms }: Cost): string => {
    const ms = [onMs, offMs, onP50Ms, offP50Ms].map(value => `${value.toFixed(2)} ms`)
    const cells = [ms[0], ms[1], `${inPoints(more)} %`, ms[2], ms[3], `${inPoints(longer)} %`]
    return `| ${name} | ${cells.join(' | ')} |`
  }
  return [
    `| ${rows.toLocaleString('en')} memories, ${pairs} pairs of ${requests} requests, processor a request | recording | not | more | p50, recording | not | longer |`,
    '|---|--:|--:|--:|--:|--:|--:|',
    row('recall', recall),
    row('recall, both recording', recallControl),
    row('remember', remember),
    row('remember, both recording', rememberControl),
    '',
    `The events of one recall, noted, written and counted by themselves: ${aloneMs.toFixed(3)} ms of CPU time, ${((100 * aloneMs) / recall.offMs).toFixed(1)} % of a recall.`,
  ].join('\n')
}
