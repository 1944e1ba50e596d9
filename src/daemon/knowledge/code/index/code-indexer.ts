import { AppError } from '../../../../contract/ground/errors.js'
import { oneAtATime } from '../../../../lib/concurrency/one-at-a-time.js'
import { unlessAborted } from '../../../../lib/concurrency/stop-waiting.js'
import { quoted } from '../../../../lib/text/clip.js'
import { type ChildEntry, type ReusableChild, reuseUntilIdle } from '../../../../lib/threads/own-child.js'
import { codeDatabase, makeIndexFolder, takeReadingMark } from './indexing/index-folder.js'
import {
  defaultChild,
  type IndexingChild,
  type RunOutcome,
  startIndexingChild,
} from './indexing/indexing-child.js'
import type { BlamedFile, RunProgress, RunReport } from './indexing/run-request.js'

export interface CodeIndexerOptions {
  /** The process ends after this time without a run; default a minute. */
  idleMs?: number
  /** Returns the path of a project's index; default its name in no workspace. */
  databaseOf?(root: string): string
  /** Processor time per file; default 20 s. */
  processorMs?: number
  /** A run without messages for this time is restarted without the file it hangs on; default 2 minutes. */
  silenceMs?: number
  child?: ChildEntry
  /** Called for each started process. */
  onStart?(pid: number | undefined): void
}

export interface IndexRequest {
  /** Absolute path of the project. The caller has checked that it may be indexed. */
  root: string
  /** Changed files and folders relative to the root, with slashes; undefined checks everything. */
  paths?: readonly string[]
  signal?: AbortSignal
  onProgress?(progress: RunProgress): void
}

export interface CodeIndexer {
  /**
   * Updates the index of a project, one project at a time. Work done before an abort or a crash is kept.
   * @throws AppError `conflict` if links replace the index, `overloaded` after it is closed; the signal's
   * reason
   */
  index(request: IndexRequest): Promise<RunReport>
  isBusy(): boolean
  /** Ends the current run and rejects queued ones. */
  close(): Promise<void>
}

/** Crashes at the same file after which the file is skipped. */
const endsBeforeBlame = 2
/** Crashes without a single cause after which the run fails. */
const maxEnds = 20
/** Silences without a known file after which it fails, since other projects wait for their turn. */
const maxSilences = 2
/** A larger process is ended to release its memory. */
const retireAboveBytes = 512 * 1024 * 1024

export function createCodeIndexer(options: CodeIndexerOptions = {}): CodeIndexer {
  const { child: entry = defaultChild(), databaseOf = codeDatabase, idleMs = 60_000, onStart } = options
  const children = reuseUntilIdle(() => {
    const child = startIndexingChild(entry)
    onStart?.(child.pid)
    return child
  }, idleMs)
  const oneByOne = oneAtATime()
  const life = { isClosed: false, runs: 0 }
  return {
    index: async request => {
      life.runs++
      try {
        return await unlessAborted(
          oneByOne(async () => {
            if (life.isClosed) throw stopping()
            request.signal?.throwIfAborted()
            const database = databaseOf(request.root)
            makeIndexFolder(database)
            return runToEnd(children, { ...request, database }, options, life)
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
      await oneByOne(async () => undefined)
    },
  }
}

/** Restarts a run after each crash, without the files that caused one. */
async function runToEnd(
  children: ReusableChild<IndexingChild>,
  { root, database, paths, signal, onProgress }: IndexRequest & { database: string },
  { processorMs = 20_000, silenceMs = 120_000 }: CodeIndexerOptions,
  life: { isClosed: boolean },
): Promise<RunReport> {
  takeReadingMark(database)
  const ends = new Map<string, number>()
  const blamed: BlamedFile[] = []
  let silences = 0
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
    if (path === '' && outcome.by === 'silence' && ++silences >= maxSilences) break
    ends.set(path, (ends.get(path) ?? 0) + 1)
    if (path && (ends.get(path) ?? 0) >= endsBeforeBlame) blamed.push({ path, ...blame(outcome) })
  }
  throw new Error(`the process that indexes ${quoted(root)} ended or hung again and again`)
}

function blame({ by }: RunOutcome & { outcome: 'ended' }): Omit<BlamedFile, 'path'> {
  if (by === 'memory') return { reason: 'too_much_memory', message: 'reading it takes too much memory' }
  if (by === 'silence') return { reason: 'timed_out', message: 'reading it timed out' }
  return { reason: 'parser_ended', message: 'it crashed the process that reads code' }
}

function failure(root: string, { message, code }: RunOutcome & { outcome: 'failed' }): Error {
  const error = new Error(`the code of ${quoted(root)} was not indexed: ${message}`)
  return code === null ? error : Object.assign(error, { code })
}

const stopping = (): AppError =>
  new AppError('overloaded', 'the daemon is stopping; try again when it is running')
