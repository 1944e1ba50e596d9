import { closeSync, fdatasync, fstatSync, openSync, statSync } from 'node:fs'
import { promisify } from 'node:util'

/** Brings what was committed to the log onto the disk, without holding the event loop meanwhile. */
export interface LogSync {
  /** Tells how long a commit waited for the disk in the main thread. */
  noteWait(ms: number): void
  /** Whether the disk takes longer than the way to a thread is worth. */
  isSlow(): boolean
  /** Whether a commit of so many saves does not wait for the disk by itself: on a slow one, and while several save at once. */
  isElsewhere(saves: number): boolean
  /**
   * Resolves once all that was committed before is on the disk.
   * @throws Error when the disk refused it, and from then on until the log was copied to the database.
   */
  sync(): Promise<void>
  close(): void
}

export interface LogSyncOptions {
  /** Copies the log to the database, which brings both to the disk. @returns false where that could not be done now. */
  copy(): Promise<boolean>
  /** Called with what the disk said when it refused; that is thrown as well. */
  onFault?: (error: unknown) => void
  syncFile?: (fd: number) => Promise<void>
  /**
   * Whether a thread is worth it while several save at once. Not on macOS, where `fdatasync` empties the cache of the disk,
   * as SQLite's commits don't.
   */
  forCrowds?: boolean
  now?: () => number
}

/** A commit that waits so long, as most do, is worth the way to a thread and back; one of half of it is not. */
const slowMs = 2
const quickMs = 1
/** What the last one counts among those before it. */
const share = 0.2
/** So many saves a commit has in the mean while several save at once: with four writers one and three take turns. */
const crowd = 1.25

/**
 * SQLite waits for the disk in the thread that commits: the main thread, in which requests wait meanwhile. It is quick on
 * most machines, where somebody who saves alone gains nothing by going elsewhere; where it is not, or others are there to
 * be served meanwhile, a commit leaves the wait to this.
 */
export function createLogSync(
  log: string,
  {
    copy,
    onFault,
    syncFile = promisify(fdatasync),
    forCrowds = process.platform !== 'darwin',
    now = () => performance.now(),
  }: LogSyncOptions,
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
  /** The log is another file once it was taken away and begun anew. */
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
      // What was refused is copied before another save is acknowledged: only `sync` sees to that.
      return state.refused || state.slow || (forCrowds && state.saves > crowd)
    },
    sync: async () => {
      // A system that refused once may say later that all is well, and have lost what it refused.
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
      // In a crowd it is the others that are waited for.
      if (state.slow) noteWait(now() - start)
    },
    close,
  }
}
