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
  /** Call before a transaction writes so much that copying its log would hold the event loop: a thread will do it. */
  expectLarge(): void
  /** Call after each commit. @param rows that it wrote, where they are many. */
  noteCommit(rows?: number): void
  /**
   * Await it before one of many writes. A log that grew long starts over only after it was copied without a write in
   * between: this is the pause for it. Saves, which somebody waits for, make it when little is left to copy, and once in
   * a while where somebody reads the log.
   */
  pause(of: 'saves' | 'unwaited'): Promise<void> | undefined
  /** Leaves nothing in the log, in the thread if one can be had. @returns false where somebody reads it still. */
  empty(): Promise<boolean>
  /** True once it is closed. */
  isClosed(): boolean
  /**
   * Makes none while another process writes the file anew, whose log holds all of it: copying that here would hold the
   * event loop for seconds. A thread copies what is left of it.
   */
  leftAlone<T>(work: () => Promise<T>): Promise<T>
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

/** With so many commits, or rows, in this time a thread is started. */
const manyCommits = 200
const lookMs = 10_000
/**
 * Between two checkpoints of the thread: so many commits, or this time with at least one. Commits that follow each other
 * change the same pages, each of which is copied once then: with 20 commits copying wrote more than the saves.
 */
const commitsBetween = 100
const msBetween = 1000

/**
 * Copies the write-ahead log to the database in a thread while there is much to write: in the main thread it would hold
 * the event loop for 20 to 40 ms every sixty recalls. With few commits SQLite does it by itself.
 */
export function createCheckpoints(
  connection: Connection,
  { idleMs = 60_000, url = threadUrl(threadModule) }: CheckpointOptions = {},
): Checkpoints {
  const copier = new LogCopier(connection, url)
  const idle = setTimeout(() => void copier.end(), idleMs).unref()
  let closed = false
  let leftAlone = false
  // Commits since the last checkpoint, or without a thread since the last look at how many there are.
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

/** Readers of the log are through within moments. */
const emptyAttempts = 20
const emptyPauseMs = 100

/** Leaves nothing in the log. @returns false where somebody read it all the while, or it is closed. */
export async function emptyPatiently(checkpoints: Pick<Checkpoints, 'empty' | 'isClosed'>): Promise<boolean> {
  for (let attempt = 0; attempt < emptyAttempts && !checkpoints.isClosed(); attempt++) {
    if (await checkpoints.empty()) return true
    await delay(emptyPauseMs)
  }
  return false
}
