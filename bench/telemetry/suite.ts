import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { percentile } from '../index/measure.js'
import { type FilledDaemon, filledDaemon } from '../recall/in-turns.js'
import { type LogStreamFigures, measureLogStream } from './log-stream.js'

interface Cost {
  p50Ms: number
  cpuMs: number
}

interface OnAndOff {
  on: Cost
  off: Cost
}

export interface TelemetryFigures {
  rows: number
  turns: number
  recall: OnAndOff
  remember: OnAndOff
  log: LogStreamFigures
}

const turns = 600
const warmUps = 50

/** What collecting costs, asked in turns of a daemon that records and one that does not; and a live log with many readers. */
export async function runTelemetrySuite({ rows = 10_000, seconds = 300 } = {}): Promise<TelemetryFigures> {
  const on = await filledDaemon({ rows })
  const off = await filledDaemon({ rows, add: switchOff })
  const queries = Array.from({ length: turns + warmUps }, () => on.memories.query())
  const recall = await inTurns({ on, off }, queries, query => ['/api/memory/recall', { query }])
  const remember = await inTurns({ on, off }, queries, (query, turn) => [
    '/api/memory/remember',
    { content: `${query}, note ${turn}` },
  ])
  await on.close()
  await off.close()
  return { rows, turns, recall, remember, log: await measureLogStream({ seconds }) }
}

function switchOff(folder: string): void {
  const settings = {
    embedding: { provider: 'none' },
    backup: { enabled: false },
    memory: { pipelineV2: { telemetryEnabled: false } },
  }
  writeFileSync(join(folder, 'agent.yaml'), stringify(settings))
}

/** Each side is first in every other turn. */
async function inTurns(
  { on, off }: { on: FilledDaemon; off: FilledDaemon },
  queries: readonly string[],
  requestOf: (query: string, turn: number) => [path: string, body: object],
): Promise<OnAndOff> {
  const sides = [on, off] as const
  const times: [number[], number[]] = [[], []]
  const before: number[] = []
  for (const [turn, query] of queries.entries()) {
    if (turn === warmUps) for (const { daemon } of sides) before.push((await daemon.load()).cpuMs)
    const [path, body] = requestOf(query, turn)
    for (const which of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const { status, ms } = await sides[which].daemon.ask('POST', path, body)
      if (status >= 300) throw new Error(`${path} answered ${status}`)
      if (turn >= warmUps) times[which].push(ms)
    }
  }
  const costOf = async (which: 0 | 1): Promise<Cost> => ({
    p50Ms: percentile(times[which], 0.5),
    cpuMs: ((await sides[which].daemon.load()).cpuMs - (before[which] as number)) / turns,
  })
  return { on: await costOf(0), off: await costOf(1) }
}

export function formatTelemetrySuite({ rows, turns, recall, remember, log }: TelemetryFigures): string {
  const row = (name: string, { on, off }: OnAndOff): string => {
    const ms = [on.p50Ms, off.p50Ms].map(value => `${value.toFixed(2)} ms`)
    const cpu = [on.cpuMs, off.cpuMs].map(value => `${value.toFixed(2)} ms`)
    const cells = [ms[0], ms[1], (on.p50Ms / off.p50Ms).toFixed(3), cpu[0], cpu[1]]
    return `| ${name} | ${cells.join(' | ')} | ${(on.cpuMs / off.cpuMs).toFixed(3)} |`
  }
  const { readers, tookSeconds, lines, entries, dropped, rssMb, loopP99Ms, loopMaxMs, cpuShare } = log
  const mb = [rssMb.before, rssMb.early, rssMb.end, rssMb.most].map(value => value.toFixed(0))
  return [
    `| ${rows.toLocaleString('en')} memories, ${turns} turns | p50, on | off | ratio | processor, on | off | ratio |`,
    '|---|--:|--:|--:|--:|--:|--:|',
    row('recall', recall),
    row('remember', remember),
    '',
    `${readers} readers of the log, half of which take nothing, ${lines.toLocaleString('en')} lines in ${tookSeconds.toFixed(0)} s: those who read got ${entries.toLocaleString('en')} entries and were told of ${dropped.toLocaleString('en')} that they missed; memory ${mb[0]} MB before, ${mb[1]} early, ${mb[2]} at the end, ${mb[3]} at most; event loop p99 ${loopP99Ms.toFixed(1)} ms, max ${loopMaxMs.toFixed(0)} ms; ${(100 * cpuShare).toFixed(0)} % of a core.`,
  ].join('\n')
}
