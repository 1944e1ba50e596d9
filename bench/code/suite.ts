import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type CodeIndexer, createCodeIndexer } from '../../src/daemon/knowledge/code/index/code-indexer.js'
import type { RunReport } from '../../src/daemon/knowledge/code/index/indexing/run-request.js'
import { listFiles } from '../../src/daemon/knowledge/code/index/listing/list-files.js'
import { indexesIn } from '../../test/helpers/indexed-project.js'

export interface CodeRun {
  folder: string
  files: number
  first: RunReport
  /** A second run in which no file changed. */
  again: RunReport
  /** A run after ten files changed. */
  ten: RunReport
  databaseMb: number
  /** Peak memory of the indexing process and of the calling process. */
  childMb: number
  ownMb: number
  /**
   * Longest time the calling process was unresponsive by the clock, and how much of that was its own
   * processor time.
   */
  longestHoldMs: number
  longestWorkMs: number
  /** One-minute load average before and after. */
  load: [number, number]
}

const changed = 10

/** Measures indexing copies of projects, a second run without changes, and a run after ten changes. */
export async function runCodeSuite(folders: readonly string[]): Promise<CodeRun[]> {
  const runs: CodeRun[] = []
  for (const folder of folders) runs.push(await measure(folder))
  return runs
}

async function measure(folder: string): Promise<CodeRun> {
  const root = mkdtempSync(join(tmpdir(), 'memory-bench-code-'))
  const pids: (number | undefined)[] = []
  const indexer = createCodeIndexer({ onStart: pid => pids.push(pid) })
  try {
    const leftOut = new Set(['.git', '.memory-service'])
    cpSync(folder, root, {
      recursive: true,
      filter: path => !leftOut.has(basename(path)),
      verbatimSymlinks: true,
    })
    return await indexed(basename(folder), root, indexer, pids)
  } finally {
    await indexer.close()
    rmSync(root, { recursive: true, force: true })
  }
}

async function indexed(
  folder: string,
  root: string,
  indexer: CodeIndexer,
  pids: readonly (number | undefined)[],
): Promise<CodeRun> {
  const before = loadavg()[0] as number
  const code = (await listFiles(root)).code.filter(({ refusal }) => !refusal)
  const loop = monitorEventLoopDelay({ resolution: 1 })
  const work = watchWork()
  let [childMb, ownMb] = [0, 0]
  const look = (): void => {
    childMb = Math.max(childMb, mostMbOf(pids.at(-1)))
    ownMb = Math.max(ownMb, process.memoryUsage.rss() / 1e6)
  }
  loop.enable()
  const first = await indexer.index({ root, onProgress: look })
  look()
  loop.disable()
  const longestWorkMs = work.end()
  const again = await indexer.index({ root })
  const paths = Array.from(
    { length: changed },
    (_, at) => code[Math.floor((at * code.length) / changed)]?.path ?? '',
  )
  for (const path of paths) appendFileSync(join(root, path), '\n')
  const ten = await indexer.index({ root, paths })
  return {
    folder,
    files: code.length,
    first,
    again,
    ten,
    databaseMb: statSync(join(root, '.memory-service', indexesIn(root)[0] ?? 'no index')).size / 1e6,
    childMb,
    ownMb,
    longestHoldMs: loop.max / 1e6,
    longestWorkMs,
    load: [before, loadavg()[0] as number],
  }
}

/**
 * Most processor milliseconds this process used between two turns of its loop. On a busy machine the clock
 * also counts other processes.
 */
function watchWork(): { end(): number } {
  let [longest, before] = [0, process.cpuUsage()]
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    longest = Math.max(longest, (user + system) / 1000)
    before = process.cpuUsage()
  }, 1)
  return {
    end: () => {
      clearInterval(timer)
      return longest
    },
  }
}

/** Peak memory from Linux's VmHWM; 0 on other systems. */
function mostMbOf(pid: number | undefined): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1000
  } catch {
    return 0
  }
}

export function formatCodeSuite(runs: CodeRun[]): string {
  const perSecond = (files: number, ms: number): string => `${Math.round((files * 1000) / ms)} files/s`
  return runs
    .map(({ folder, files, first, again, ten, load, ...run }) =>
      [
        `${folder}: ${files} files of code, load ${load.map(each => each.toFixed(1)).join(' to ')}`,
        `  first    ${(first.durationMs / 1000).toFixed(1)} s, ${(first.processorMs / 1000).toFixed(1)} s of CPU time (${perSecond(files, first.processorMs)}); ${first.parsed} read, ${first.partial} of them with syntax errors, ${first.skipped} skipped, ${first.failed} failed`,
        `  again    ${again.durationMs} ms, ${again.processorMs} ms of CPU time`,
        `  ${changed} files ${ten.durationMs} ms, ${ten.processorMs} ms of CPU time (${ten.parsed} read)`,
        `  database ${run.databaseMb.toFixed(0)} MB, memory ${run.childMb.toFixed(0)} MB, of the calling process ${run.ownMb.toFixed(0)} MB, which was blocked for at most ${run.longestHoldMs.toFixed(0)} ms by the clock, ${run.longestWorkMs.toFixed(0)} ms of its own work`,
      ].join('\n'),
    )
    .join('\n')
}
