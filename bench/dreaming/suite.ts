import { setTimeout as delay } from 'node:timers/promises'
import { startMeasuredDaemon } from '../daemon/daemon-process.js'
import { temporaryWorkspace } from '../daemon/workspace.js'

export interface DreamingFigures {
  memories: number
  operations: number
  seconds: number
  cpuSeconds: number
  loopP99Ms: number
  loopMaxMs: number
  /** Processor time of the longest turn, which a busy machine does not lengthen. */
  turnMaxMs: number
}

interface Pass {
  startedAt: string
  endedAt: string
  counts: Record<string, number>
}

/** Three of four memories match a rule. */
const forms = [
  (n: number) => `We use Tool${n} for purpose${n}`,
  (n: number) => `The port of part${n} is ${4000 + n}`,
  (n: number) => `Never deploy module${n} on a Friday`,
  (n: number) => `The meeting number ${n} was long and nobody said anything that matters`,
]

/**
 * Measures rule-based passes in a daemon as users run it: memories of ten projects, without any known
 * entity.
 */
export async function runDreamingSuite({ memories = 1000 } = {}): Promise<DreamingFigures> {
  const workspace = temporaryWorkspace()
  const daemon = await startMeasuredDaemon(workspace.folder)
  try {
    for (let n = 0; n < memories; n++) {
      const body = { content: forms[n % forms.length]?.(n), project: `/work/project${n % 10}` }
      await daemon.ask('POST', '/api/memory/remember', body)
    }
    await daemon.load()
    const before = await daemon.load()
    await daemon.ask('POST', '/api/dream/trigger', {})
    for (;;) {
      const { body } = await daemon.ask('GET', '/api/dream/status')
      // A long reading is several passes.
      const passes = body.passes as Pass[]
      const read = passes.reduce((sum, { counts }) => sum + (counts.memories ?? 0), 0)
      if (read >= memories && passes.every(({ endedAt }) => endedAt)) {
        const { cpuMs, loopP99Ms, loopMaxMs, turnMaxMs } = await daemon.load()
        const counted = passes
          .flatMap(({ counts }) => Object.entries(counts))
          .filter(([name]) => name.startsWith('operations.'))
        const times = passes.flatMap(({ startedAt, endedAt }) => [Date.parse(startedAt), Date.parse(endedAt)])
        return {
          memories: read,
          operations: counted.reduce((sum, [, count]) => sum + count, 0),
          seconds: (Math.max(...times) - Math.min(...times)) / 1000,
          cpuSeconds: (cpuMs - before.cpuMs) / 1000,
          loopP99Ms,
          loopMaxMs,
          turnMaxMs,
        }
      }
      await delay(500)
    }
  } finally {
    await daemon.stop()
    workspace.remove()
  }
}

export function formatDreamingSuite(figures: DreamingFigures): string {
  const { memories, operations, seconds, cpuSeconds, loopP99Ms, loopMaxMs, turnMaxMs } = figures
  return [
    '| memories | operations | took | processor | loop delay p99, max | longest turn, processor |',
    '|--:|--:|--:|--:|--:|--:|',
    `| ${memories} | ${operations} | ${seconds.toFixed(1)} s | ${cpuSeconds.toFixed(1)} s | ${loopP99Ms.toFixed(0)}, ${loopMaxMs.toFixed(0)} ms | ${turnMaxMs.toFixed(0)} ms |`,
  ].join('\n')
}
