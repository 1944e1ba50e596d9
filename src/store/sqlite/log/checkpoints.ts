import { setTimeout as delay } from 'node:timers/promises'
import type { Database as Connection } from 'better-sqlite3'
import { threadUrl } from '../../../lib/threads/thread-url.js'
import { LogCopier } from './log-copier.js'

const threadModule = {
  from: import.meta.url,
  source: './checkpoint-thread.ts',
  bundle: './checkpoint-thread.js',
}

export interface Checkpoints {
  /** Call before a large transaction, so that a thread copies its log instead of the event loop. */
  expectLarge(): void
  /** Call after each commit. @param rows number of rows written, if many. */
  noteCommit(rows?: number): void
  /**
   * Await it before one of many writes. A long log starts over only after a full copy without a write in
   * between, for which this pauses. Saves pause only when little is left to copy, and rarely while a reader
   * uses the log.
   */
  pause(of: 'saves' | 'unwaited'): Promise<void> | undefined
  /** Empties the log, in the thread if possible. @returns false when a reader still uses it. */
  empty(): Promise<boolean>
  isClosed(): boolean
  /**
   * Suspends checkpoints while another process rewrites the file. Its log then contains the whole file, and
   * copying it here would block the event loop for seconds; a thread copies the rest.
   */
  leftAlone<T>(work: () => Promise<T>): Promise<T>
  /** Returns whether a thread does the checkpoints. */
  inThread(): boolean
  /** Call before the connection is closed. */
  close(): Promise<void>
}

export interface CheckpointOptions {
  /** Ends the thread after this time without a commit; default one minute. */
  idleMs?: number
  url?: URL
}

/** This many commits or rows in `lookMs` start the thread. */
const manyCommits = 200
const lookMs = 10_000
/**
 * Interval of the thread's checkpoints: this many commits, or this time with at least one. Consecutive
 * commits change the same pages, which are then copied once; at every 20 commits, copying wrote more than the
 * saves did.
 */
const commitsBetween = 100
const msBetween = 1000

/**
 * Copies the write-ahead log in a thread while there are many writes; in the main thread it would block the
 * event loop for 20 to 40 ms every sixty recalls. With few commits SQLite does it itself.
 */
export function createCheckpoints(
  connection: Connection,
  { idleMs = 60_000, url = threadUrl(threadModule) }: CheckpointOptions = {},
): Checkpoints {
  const copier = new LogCopier(connection, url)
  const idle = setTimeout(() => void copier.end(), idleMs).unref()
  let closed = false
  let leftAlone = false
  // Commits since the last checkpoint, or without a thread since the last count.
  let commits = 0
  let written = 0
  let since = performance.now()
  const begin = (now: number): void => {
    commits = 0
    written = 0
    since = now
  }
  return {
    expectLarge: () => copier.expectLarge(),
    noteCommit: (rows = 1) => {
      if (closed || leftAlone) return
      const now = performance.now()
      commits++
      written += rows
      idle.refresh()
      const large = copier.endLarge()
      if (!copier.isRunning) {
        const many = written >= manyCommits
        if (many || now - since > lookMs) begin(now)
        if (many) copier.start()
      } else if (copier.isBusy) {
        if (large) copier.copyOnceMore()
      } else if (large || commits >= commitsBetween || now - since > msBetween) {
        begin(now)
        copier.copy()
      }
    },
    pause: of => copier.pause(of),
    empty: async () => {
      if (closed) return false
      idle.refresh()
      return copier.empty()
    },
    isClosed: () => closed,
    leftAlone: async work => {
      leftAlone = true
      try {
        return await copier.leaveToOthers(work)
      } finally {
        leftAlone = false
      }
    },
    inThread: () => copier.isRunning,
    close: async () => {
      closed = true
      clearTimeout(idle)
      await copier.end()
    },
  }
}

/** Readers release the log within moments. */
const emptyAttempts = 20
const emptyPauseMs = 100

/** Empties the log with retries. @returns false when it was read all the time, or is closed. */
export async function emptyLogWithRetries(
  checkpoints: Pick<Checkpoints, 'empty' | 'isClosed'>,
): Promise<boolean> {
  for (let attempt = 0; attempt < emptyAttempts && !checkpoints.isClosed(); attempt++) {
    if (await checkpoints.empty()) return true
    await delay(emptyPauseMs)
  }
  return false
}
