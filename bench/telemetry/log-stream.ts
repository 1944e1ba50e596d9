import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { RecentLogs } from '../../src/daemon/ground/telemetry/recent-logs.js'
import { createLog } from '../../src/daemon/process/log.js'
import { startDaemon } from '../../src/daemon/process/start.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { watchTurns } from '../daemon/turns.js'
import { temporaryWorkspace } from '../daemon/workspace.js'
import { measuredEnvironment } from '../environment.js'

/** A live log with many readers, half of which take nothing. */
export interface LogStreamFigures {
  readers: number
  seconds: number
  lines: number
  /** How long writing them took: longer than `seconds` where the machine does not keep up. */
  tookSeconds: number
  /** Entries that the half that reads got, and those that it was told it missed. */
  entries: number
  dropped: number
  /** Resident memory of the daemon, in MB: before, a tenth in, at its end, and at most. */
  rssMb: { before: number; early: number; end: number; most: number }
  loopP99Ms: number
  loopMaxMs: number
  /** Processor time of turns of the event loop, which other programs say nothing about. */
  turnP99Ms: number
  turnMaxMs: number
  /** Processor time of the daemon and of who writes the lines, the share of one core. */
  cpuShare: number
}

const linesEachTick = 5
const tickMs = 5

/** @param seconds of a thousand lines each */
export async function measureLogStream({ readers = 100, seconds = 300 } = {}): Promise<LogStreamFigures> {
  const { folder, remove } = temporaryWorkspace()
  const recentLogs = new RecentLogs()
  const log = createLog({ write: line => recentLogs.take(line) }, 'info')
  const running = await startDaemon({
    paths: workspacePaths(folder),
    version: '0.0.0',
    log,
    recentLogs,
    environment: { SERVICE_PORT: '0', SERVICE_EMBEDDING_DOWNLOAD: '0' },
  })
  await running.loaded
  const args = [new URL(running.url).port, String(readers)]
  const child = fork(join(import.meta.dirname, 'log-readers.js'), args, { env: measuredEnvironment() })
  try {
    await once(child, 'message')
    const figures = await writeLines(line => log.info({ category: 'bench' }, line), seconds)
    const counts = await settledCounts(child)
    return { readers, seconds, ...figures, entries: counts.entries, dropped: counts.dropped }
  } finally {
    child.disconnect()
    await running.close()
    remove()
  }
}

interface Counts {
  entries: number
  dropped: number
}

/** What readers got, once they got nothing further for a second. */
async function settledCounts(child: ChildProcess): Promise<Counts> {
  for (let before = -1; ; ) {
    child.send('counts')
    const [counts] = (await once(child, 'message')) as [Counts]
    if (counts.entries === before) return counts
    before = counts.entries
    await delay(1000)
  }
}

type Written = Omit<LogStreamFigures, 'readers' | 'seconds' | 'entries' | 'dropped'>

async function writeLines(write: (line: string) => void, seconds: number): Promise<Written> {
  const rss = (): number => process.memoryUsage.rss() / 1024 / 1024
  const loop = monitorEventLoopDelay({ resolution: 2 })
  const rssMb = { before: rss(), early: 0, end: 0, most: 0 }
  const cpu = process.cpuUsage()
  const started = performance.now()
  const wanted = (ms: number): number => Math.min(seconds * 1000, Math.floor(ms / tickMs) * linesEachTick)
  const turns = watchTurns()
  loop.enable()
  let lines = 0
  while (lines < seconds * 1000) {
    for (const until = wanted(performance.now() - started); lines < until; lines++) {
      write(`a line of the log as long as most of them are, number ${lines}`)
      // Who is late makes up for it in turns, as lines of different requests come.
      if (lines % linesEachTick === 0) await nextTurn()
    }
    rssMb.most = Math.max(rssMb.most, rss())
    if (rssMb.early === 0 && lines >= seconds * 100) rssMb.early = rss()
    await delay(tickMs)
  }
  loop.disable()
  turns.end()
  const { user, system } = process.cpuUsage(cpu)
  rssMb.end = rss()
  const tookSeconds = (performance.now() - started) / 1000
  return {
    lines,
    tookSeconds,
    rssMb,
    loopP99Ms: loop.percentile(99) / 1e6,
    loopMaxMs: loop.max / 1e6,
    turnP99Ms: turns.p99(),
    turnMaxMs: turns.longest(),
    cpuShare: (user + system) / 1_000_000 / tookSeconds,
  }
}

export function formatLogStream(figures: LogStreamFigures): string {
  const {
    readers,
    tookSeconds,
    lines,
    entries,
    dropped,
    rssMb,
    loopP99Ms,
    loopMaxMs,
    turnP99Ms,
    turnMaxMs,
    cpuShare,
  } = figures
  const many = (count: number): string => count.toLocaleString('en')
  const mb = [rssMb.before, rssMb.early, rssMb.end, rssMb.most].map(value => value.toFixed(0))
  return [
    `${readers} readers of the log, half of which take nothing, ${many(lines)} lines in ${tookSeconds.toFixed(0)} s (${(lines / tookSeconds).toFixed(0)} a second)`,
    `those who read got ${many(entries)} of ${many((lines * readers) / 2)} entries and were told of ${many(dropped)} that they missed`,
    `memory ${mb[0]} MB before, ${mb[1]} early, ${mb[2]} at the end, ${mb[3]} at most`,
    `event loop p99 ${loopP99Ms.toFixed(1)} ms, max ${loopMaxMs.toFixed(0)} ms by the clock; turns p99 ${turnP99Ms.toFixed(1)} ms, max ${turnMaxMs.toFixed(1)} ms of the processor; ${(100 * cpuShare).toFixed(0)} % of a core`,
  ].join('\n')
}
