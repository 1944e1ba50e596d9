import { closeSync, fdatasync, fstatSync, openSync, statSync } from 'node:fs'
import { promisify } from 'node:util'

/** Syncs committed log pages to disk without blocking the event loop. */
export interface LogSync {
  /** Reports how long a commit in the main thread waited for the disk. */
  noteWait(ms: number): void
  /** Returns whether the disk is slow enough to justify a thread. */
  isSlow(): boolean
  /**
   * Returns whether a commit of this many saves should leave the sync to a thread: on a slow disk, or under
   * concurrent saves.
   */
  isElsewhere(saves: number): boolean
  /**
   * Resolves once all earlier commits are on disk.
   * @throws Error when the disk refused it, and on each call until the log was copied to the database.
   */
  sync(): Promise<void>
  close(): void
}

export interface LogSyncOptions {
  /** Copies the log to the database, which syncs both. @returns false when that is not possible now. */
  copy(): Promise<boolean>
  /** Called with the disk's error, which is thrown as well. */
  onFault?: (error: unknown) => void
  syncFile?: (fd: number) => Promise<void>
  now?: () => number
}

/** A wait above `slowMs` is worth a round trip to a thread; one below `quickMs` is not. */
const slowMs = 2
const quickMs = 1
/** Weight of the latest value in the moving averages. */
const share = 0.2
/** Average saves per commit under concurrency; with four writers, one and three take turns. */
const crowd = 1.25

/**
 * SQLite syncs in the committing thread, the main thread, which blocks requests. A thread only pays off on a
 * slow disk or under concurrent saves; otherwise commits sync themselves.
 */
export function createLogSync(
  log: string,
  { copy, onFault, syncFile = promisify(fdatasync), now = () => performance.now() }: LogSyncOptions,
): LogSync {
  const state = { waitMs: 0, slow: false, saves: 1, refused: false, fd: undefined as number | undefined }
  const noteWait = (ms: number): void => {
    state.waitMs += (ms - state.waitMs) * share
    if (state.waitMs > slowMs) state.slow = true
    else if (state.waitMs < quickMs) state.slow = false
  }
  const close = (): void => {
    if (state.fd !== undefined) closeSync(state.fd)
    state.fd = undefined
  }
  /** SQLite may have deleted and recreated the log. */
  const opened = (): number => {
    if (state.fd !== undefined && fstatSync(state.fd).ino !== statSync(log, { throwIfNoEntry: false })?.ino)
      close()
    state.fd ??= openSync(log, 'r+')
    return state.fd
  }
  return {
    noteWait,
    isSlow: () => state.slow,
    isElsewhere: saves => {
      state.saves += (saves - state.saves) * share
      // After a refused sync only `sync` copies the log before the next save is acknowledged.
      return state.refused || state.slow || state.saves > crowd
    },
    sync: async () => {
      // A later sync may succeed although the refused pages were lost, so the log is copied first.
      if (state.refused) {
        if (!(await copy())) throw new Error('the log could not be copied after the disk refused it')
        state.refused = false
      }
      const start = now()
      try {
        await syncFile(opened())
      } catch (error) {
        state.refused = true
        onFault?.(error)
        throw error
      }
      // Under concurrency the duration includes the wait for others and does not count.
      if (state.slow) noteWait(now() - start)
    },
    close,
  }
}
