import { writeFileSync } from 'node:fs'
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { Daemon } from '../../src/daemon/platform/daemon/daemon.js'
import { promptSubmit } from '../../src/daemon/sessions/hooks/prompt-submit.js'
import { sessionStart } from '../../src/daemon/sessions/hooks/session-start.js'
import { benchCaller as caller } from '../caller.js'
import { withDaemonHere } from '../daemon/in-process.js'
import { percentile } from '../index/measure.js'
import { fill } from './fill.js'

export interface SessionFigure {
  what: string
  p50Ms: number
  p95Ms: number
  cpuP50Ms: number
  cpuP95Ms: number
  /** Longest event loop delay over all runs. */
  loopMaxMs: number
}

const counts = { memories: 100_000, sessions: 2000, entities: 50_000 }
const shortPrompt = 'please look at word17 crane 17 and tell me what is wrong with it'
const longText =
  'The quick brown fox jumps over the lazy dog and the crane answers slowly since friday; '.repeat(1150)
/** Every word is the beginning of many entity names. */
const longNames = Array.from({ length: 12_000 }, (_, n) => `word${n % 5000}`).join(' ')

/** Measures the hooks that add context, among 100,000 memories, in process. */
export async function runSessionsSuite({ runs = 40 }: { runs?: number } = {}): Promise<SessionFigure[]> {
  return withDaemonHere(
    (daemon, { database }) => {
      fill(database, counts)
      return measureHooks(daemon, runs)
    },
    ({ summary }) => writeFileSync(summary, 'A line of what matters here.\n'.repeat(500)),
  )
}

async function measureHooks(daemon: Daemon, runs: number): Promise<SessionFigure[]> {
  const start = (run: number) =>
    sessionStart(daemon, caller, {
      harness: 'bench',
      sessionKey: `s${run}`,
      runtimePath: 'plugin',
      project: '/shop',
    })
  const prompt = (userMessage: string) => (run: number) =>
    promptSubmit(daemon, caller, { harness: 'bench', sessionKey: `s${run}`, userMessage })
  return [
    await measure('session-start', runs, start),
    await measure('user-prompt-submit, a sentence', runs, prompt(shortPrompt)),
    await measure('user-prompt-submit, 100,000 characters', runs, prompt(longText)),
    await measure('user-prompt-submit, 100,000 characters of names', Math.ceil(runs / 4), prompt(longNames)),
  ]
}

/** Runs `work` several times, one after another, and returns its figures. */
export async function measure(
  what: string,
  runs: number,
  work: (run: number) => Promise<unknown>,
): Promise<SessionFigure> {
  await work(-1)
  const loop: IntervalHistogram = monitorEventLoopDelay({ resolution: 1 })
  loop.enable()
  const wall: number[] = []
  const cpu: number[] = []
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage()
    const started = performance.now()
    await work(run)
    wall.push(performance.now() - started)
    const { user, system } = process.cpuUsage(before)
    cpu.push((user + system) / 1000)
  }
  loop.disable()
  return {
    what,
    p50Ms: percentile(wall, 0.5),
    p95Ms: percentile(wall, 0.95),
    cpuP50Ms: percentile(cpu, 0.5),
    cpuP95Ms: percentile(cpu, 0.95),
    loopMaxMs: loop.max / 1e6,
  }
}

export function formatSessionsSuite(figures: readonly SessionFigure[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    line(['hook', 'p50 ms', 'p95 ms', 'processor p50 ms', 'p95 ms', 'loop delay max ms']),
    line(['---', '---', '---', '---', '---', '---']),
    ...figures.map(({ what, ...values }) => line([what, ...Object.values(values).map(ms => ms.toFixed(1))])),
  ].join('\n')
}
