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

/** Figures of a live log with many readers, half of which never read. */
export interface LogStreamFigures {
  readers: number
  seconds: number
  lines: number
  /** Time for writing all lines; longer than `seconds` when the machine cannot keep up. */
  tookSeconds: number
  /** Entries received by the reading half, and entries reported to them as missed. */
  entries: number
  dropped: number
  /** Resident memory of the daemon in MB: before, after a tenth, at the end, and the maximum. */
  rssMb: { before: number; early: number; end: number; most: number }
  loopP99Ms: number
  loopMaxMs: number
  /** Processor time of event loop turns, which other programs do not affect. */
  turnP99Ms: number
  turnMaxMs: number
  /** Processor time of the daemon and the line writer, as a share of one core. */
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

/** The readers' counts, once they have not changed for a second. */
async function settledCounts(child: ChildProcess): Promise<Counts> {
  for (let before = -1; ; ) {
    child.send('counts')
    const [counts] = (await once(child, 'message')) as [Counts]
    if (counts.entries === before) return counts
    before = counts.entries
    await delay(1000)
  }
}

type WriterFigures = Omit<LogStreamFigures, 'readers' | 'seconds' | 'entries' | 'dropped'>

async function writeLines(write: (line: string) => void, seconds: number): Promise<WriterFigures> {
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
      // A late writer catches up in several turns, as lines of different requests would come.
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
    `${readers} log readers, half of which never read, ${many(lines)} lines in ${tookSeconds.toFixed(0)} s (${(lines / tookSeconds).toFixed(0)} a second)`,
    `reading clients received ${many(entries)} of ${many((lines * readers) / 2)} entries and were notified of ${many(dropped)} missed ones`,
    `memory ${mb[0]} MB before, ${mb[1]} early, ${mb[2]} at the end, ${mb[3]} at most`,
    `event loop p99 ${loopP99Ms.toFixed(1)} ms, max ${loopMaxMs.toFixed(0)} ms by the clock; turns p99 ${turnP99Ms.toFixed(1)} ms, max ${turnMaxMs.toFixed(1)} ms of CPU time; ${(100 * cpuShare).toFixed(0)} % of a core`,
  ].join('\n')
}
