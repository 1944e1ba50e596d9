import { Worker } from 'node:worker_threads'
import type { Database as Connection } from 'better-sqlite3'
import { threadUrl } from '../lib/thread-url.js'
import { copyLogFrom } from './sql/connection.js'

const threadModule = {
  from: import.meta.url,
  source: './checkpoint-thread.ts',
  bundle: './checkpoint-thread.js',
}

export interface Checkpoints {
  /** Call before a transaction writes so much that copying its log would hold the event loop: a thread will do it. */
  expectLarge(): void
  /** Call after each commit. */
  noteCommit(): void
  /** True while a thread makes them. */
  inThread(): boolean
  /** Call before the connection is closed. */
  close(): Promise<void>
}

export interface CheckpointOptions {
  /** The thread ends after so long without a commit; default a minute. */
  idleMs?: number
  url?: URL
}

/** SQLite's own: a commit that finds so many pages in the log copies them to the database before it returns. */
const usualPages = 1000
/**
 * The limit while a thread checkpoints (16 MiB): the log starts over only after a checkpoint without a write in
 * between, so it grows longer.
 */
const pagesWithThread = 4096
/** The limit for a large transaction (256 MiB): the thread copies it as soon as it is committed. */
const pagesWhenLarge = 65_536
/** With so many commits in this time a thread is started. */
const manyCommits = 200
const lookMs = 10_000
/** Between two checkpoints of the thread: so many commits, or this time with at least one. */
const commitsBetween = 20
const msBetween = 250

/**
 * Copies the write-ahead log to the database in a thread while there is much to write: in the main thread it would hold
 * the event loop for 20 to 40 ms every sixty recalls. With few commits SQLite does it by itself.
 */
export function createCheckpoints(
  connection: Connection,
  { idleMs = 60_000, url = threadUrl(threadModule) }: CheckpointOptions = {},
): Checkpoints {
  const copier = createCopier(connection, url)
  const idle = setTimeout(() => void copier.end(), idleMs).unref()
  let closed = false
  // Commits since the last checkpoint, or without a thread since the last look at how many there are.
  let commits = 0
  let since = performance.now()
  const begin = (now: number): void => {
    commits = 0
    since = now
  }
  return {
    expectLarge: copier.expectLarge,
    noteCommit: () => {
      if (closed) return
      const now = performance.now()
      commits++
      idle.refresh()
      const large = copier.endLarge()
      if (!copier.isRunning()) {
        const many = commits >= manyCommits
        if (many || now - since > lookMs) begin(now)
        if (many) copier.start()
      } else if (copier.isBusy()) {
        if (large) copier.copyOnceMore()
      } else if (large || commits >= commitsBetween || now - since > msBetween) {
        begin(now)
        copier.copy()
      }
    },
    inThread: copier.isRunning,
    close: async () => {
      closed = true
      clearTimeout(idle)
      await copier.end()
    },
  }
}

/** The thread that copies the log, from when it is first wanted until it is not. */
interface Copier {
  /** Starts the thread, unless it runs or one broke: then none comes again, and a commit is none the worse. */
  start(): void
  isRunning(): boolean
  isBusy(): boolean
  copy(): void
  /** Lets the thread look again when it is done: what was committed meanwhile is large. */
  copyOnceMore(): void
  /** The next commit leaves its log to the thread, however long it is; starts the thread, if one can be had. */
  expectLarge(): void
  /** Whether the commit that has just been made was expected to be large. */
  endLarge(): boolean
  end(): Promise<void>
}

function createCopier(connection: Connection, url: URL): Copier {
  let worker: Worker | undefined
  let busy = false
  let owed = false
  let large = false
  let failed = false
  const end = async (): Promise<void> => {
    const ending = worker
    if (!ending) return
    worker = undefined
    busy = false
    owed = false
    copyLogFrom(connection, usualPages)
    await ending.terminate()
  }
  const copy = (): void => {
    busy = true
    worker?.postMessage('checkpoint')
  }
  const onCopied = (by: Worker): void => {
    // Its last answer may come while it is being ended.
    if (by !== worker) return
    busy = false
    if (owed) copy()
    else if (!large) copyLogFrom(connection, pagesWithThread)
    owed = false
  }
  const onBroken = (): void => {
    failed = true
    void end()
  }
  const start = (): void => {
    if (worker || failed) return
    worker = openThread(url, connection.name, { onCopied, onBroken })
    if (worker) copyLogFrom(connection, pagesWithThread)
    else failed = true
  }
  return {
    start,
    isRunning: () => worker !== undefined,
    isBusy: () => busy,
    copy,
    copyOnceMore: () => {
      owed = true
    },
    expectLarge: () => {
      start()
      if (!worker) return
      large = true
      copyLogFrom(connection, pagesWhenLarge)
    },
    endLarge: () => {
      const was = large
      large = false
      return was
    },
    end,
  }
}

/** @returns undefined where no thread can be had. */
function openThread(
  url: URL,
  file: string,
  { onCopied, onBroken }: { onCopied(by: Worker): void; onBroken(): void },
): Worker | undefined {
  try {
    const worker = new Worker(url, { workerData: file })
    worker.on('message', () => onCopied(worker))
    worker.on('error', onBroken)
    return worker
  } catch {
    return undefined
  }
}
