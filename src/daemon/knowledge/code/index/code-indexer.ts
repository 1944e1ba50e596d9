import { AppError } from '../../../../contract/ground/errors.js'
import { oneAtATime } from '../../../../lib/concurrency/one-at-a-time.js'
import { unlessAborted } from '../../../../lib/concurrency/unless-aborted.js'
import { quoted } from '../../../../lib/text/clip.js'
import { type ChildEntry, type KeptChild, keptUntilIdle } from '../../../../lib/threads/own-child.js'
import { codeDatabase, makeIndexFolder, takeReadingMark } from './indexing/index-folder.js'
import {
  defaultChild,
  type IndexingChild,
  type RunOutcome,
  startIndexingChild,
} from './indexing/indexing-child.js'
import type { Blamed, RunProgress, RunReport } from './indexing/run-request.js'

export interface CodeIndexerOptions {
  /** The process ends after so long without a run; default a minute. */
  idleMs?: number
  /** What the processor may do for a file; default 20 s. */
  processorMs?: number
  /** A run of which nothing is heard for so long is begun anew without the file that it hangs at; default 2 minutes. */
  silenceMs?: number
  child?: ChildEntry
  /** Hears of each process that is started. */
  onStart?(pid: number | undefined): void
}

export interface IndexRequest {
  /** The project, absolute. The caller has looked whether it may be indexed. */
  root: string
  /** Files and folders below it, with slashes, that changed or may have; without them all is looked at. */
  paths?: readonly string[]
  signal?: AbortSignal
  onProgress?(progress: RunProgress): void
}

export interface CodeIndexer {
  /**
   * Brings the index of a project in step with its files, one project after the other. What was done when it is ended, or
   * its process ends, stays done.
   * @throws AppError `conflict` where links stand in the place of the index, `overloaded` once it is closed;
   * the signal's reason
   */
  index(request: IndexRequest): Promise<RunReport>
  isBusy(): boolean
  /** Ends the run that is under way; what waits is rejected. */
  close(): Promise<void>
}

/** A file at which the process ended so often is the cause. */
const endsBeforeBlame = 2
/** Ends at no file, or at ever new ones, are given up. */
const maxEnds = 20
/** A process that has grown so far gives its memory back by ending. */
const retireAboveBytes = 512 * 1024 * 1024

export function createCodeIndexer(options: CodeIndexerOptions = {}): CodeIndexer {
  const { child: entry = defaultChild(), idleMs = 60_000, onStart } = options
  const children = keptUntilIdle(() => {
    const child = startIndexingChild(entry)
    onStart?.(child.pid)
    return child
  }, idleMs)
  const inLine = oneAtATime()
  const life = { isClosed: false, runs: 0 }
  return {
    index: async request => {
      life.runs++
      try {
        return await unlessAborted(
          inLine(async () => {
            if (life.isClosed) throw stopping()
            request.signal?.throwIfAborted()
            makeIndexFolder(request.root)
            return runToEnd(children, request, options, life)
          }),
          request.signal,
        )
      } finally {
        life.runs--
      }
    },
    isBusy: () => life.runs > 0,
    close: async () => {
      life.isClosed = true
      children.end()
      await inLine(async () => undefined)
    },
  }
}

/** Begins a run anew as often as its process ends, without the files that ended it. */
async function runToEnd(
  children: KeptChild<IndexingChild>,
  { root, paths, signal, onProgress }: IndexRequest,
  { processorMs = 20_000, silenceMs = 120_000 }: CodeIndexerOptions,
  life: { isClosed: boolean },
): Promise<RunReport> {
  const database = codeDatabase(root)
  takeReadingMark(database)
  const ends = new Map<string, number>()
  const blamed: Blamed[] = []
  for (let count = 0; count < maxEnds; count++) {
    const request = { root, database, paths: paths ?? null, blamed, processorMs }
    const limits = { silenceMs, signal, onProgress: onProgress ?? (() => undefined) }
    const outcome = await children.take().run(request, limits).finally(children.release)
    if (life.isClosed) throw stopping()
    if (outcome.outcome === 'done') {
      takeReadingMark(database)
      if (outcome.rssBytes > retireAboveBytes) children.end()
      return outcome.report
    }
    if (outcome.outcome === 'failed') throw failure(root, outcome)
    const path = takeReadingMark(database)
    ends.set(path, (ends.get(path) ?? 0) + 1)
    if (path && (ends.get(path) ?? 0) >= endsBeforeBlame) blamed.push({ path, ...blame(outcome) })
  }
  throw new Error(`the process that indexes ${quoted(root)} ended ${maxEnds} times`)
}

function blame({ by }: RunOutcome & { outcome: 'ended' }): Omit<Blamed, 'path'> {
  if (by === 'memory') return { reason: 'too_much_memory', message: 'reading it takes too much memory' }
  if (by === 'silence') return { reason: 'timed_out', message: 'reading it did not come to an end' }
  return { reason: 'parser_ended', message: 'it ended the process that reads code' }
}

function failure(root: string, { message, code }: RunOutcome & { outcome: 'failed' }): Error {
  const error = new Error(`the code of ${quoted(root)} was not indexed: ${message}`)
  return code === null ? error : Object.assign(error, { code })
}

const stopping = (): AppError => new AppError('overloaded', 'the daemon stops; try again once it runs')
