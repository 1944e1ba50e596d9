import { Worker } from 'node:worker_threads'
import type { Database as Connection } from 'better-sqlite3'
import { threadUrl } from '../lib/thread-url.js'

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

interface State {
  thread: { worker: Worker; busy: boolean } | undefined
  /** The next commit leaves its log to the thread, however long it is. */
  large: boolean
  /** A large one was committed while the thread was at work: it has to look once more. */
  owed: boolean
  /** Commits since `since`: of the last checkpoint, or without a thread of the last look at how many there are. */
  commits: number
  since: number
  /** A thread broke: it does not come again. */
  failed: boolean
  closed: boolean
}

/** SQLite's own: a commit that finds so many pages in the log copies them to the database before it returns. */
const usualPages = 1000
/** The same while a thread does it, 16 MiB: only without other writes between does its work let the log begin anew. */
const pagesWithThread = 4096
/** The same for a large transaction, 256 MiB: the thread copies it as soon as it is committed. */
const pagesWhenLarge = 65_536
/** So many commits in this time are worth a thread. */
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
  const state: State = {
    thread: undefined,
    large: false,
    owed: false,
    commits: 0,
    since: performance.now(),
    failed: false,
    closed: false,
  }
  const setPages = (pages: number): void => void connection.pragma(`wal_autocheckpoint = ${pages}`)
  const end = async (): Promise<void> => {
    const { thread } = state
    if (!thread) return
    state.thread = undefined
    setPages(usualPages)
    await thread.worker.terminate()
  }
  const idle = setTimeout(() => void end(), idleMs).unref()
  /** Where no thread can be had a commit is none the worse. */
  const newWorker = (): Worker | undefined => {
    try {
      return new Worker(url, { workerData: connection.name })
    } catch {
      state.failed = true
      return undefined
    }
  }
  const start = (): void => {
    const worker = newWorker()
    if (!worker) return
    const thread = { worker, busy: false }
    worker.on('message', () => {
      // Its last answer may come while it is being ended.
      if (state.thread !== thread) return
      thread.busy = state.owed
      if (state.owed) worker.postMessage('checkpoint')
      else if (!state.large) setPages(pagesWithThread)
      state.owed = false
    })
    worker.on('error', () => {
      state.failed = true
      void end()
    })
    state.thread = thread
    setPages(pagesWithThread)
  }
  const begin = (now: number): void => {
    state.commits = 0
    state.since = now
  }
  return {
    expectLarge: () => {
      if (!state.thread && !state.failed) start()
      if (!state.thread) return
      state.large = true
      setPages(pagesWhenLarge)
    },
    noteCommit: () => {
      if (state.closed) return
      const now = performance.now()
      state.commits++
      idle.refresh()
      const { thread, commits, since, failed, large } = state
      state.large = false
      if (!thread) {
        if (commits >= manyCommits || now - since > lookMs) begin(now)
        if (commits >= manyCommits && !failed) start()
      } else if (thread.busy) state.owed ||= large
      else if (large || commits >= commitsBetween || now - since > msBetween) {
        begin(now)
        thread.busy = true
        thread.worker.postMessage('checkpoint')
      }
    },
    inThread: () => state.thread !== undefined,
    close: async () => {
      state.closed = true
      clearTimeout(idle)
      await end()
    },
  }
}
