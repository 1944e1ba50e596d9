import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { storageFault } from '../../../lib/files/storage-fault.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'

/**
 * True if the disk accepts writes. Writes are never refused in advance; their errors are reported to `note`.
 */
export interface Room {
  /** Why writes fail; undefined while they succeed. */
  problem(): string | undefined
  /** Examines a write error; a full or failing disk becomes the problem. @returns whether it was one. */
  note(error: unknown): boolean
  /**
   * Checks free space; if it is low, or writes failed before, makes a test write.
   * @returns the problem, if there is one.
   */
  look(): Promise<string | undefined>
  /** Adds a check that must pass, too, before a problem counts as solved; `look` runs it each time. */
  alsoTry(check: () => void): void
  /** Called each time a problem is solved. */
  onRecovered(work: () => void): void
  close(): void
}

export interface RoomOptions {
  /** A folder of the workspace, for the test file. */
  folder: string
  log: Logger
  timers?: Timers
}

/** Bytes for one save with its index and log; with less free space `look` makes a test write. */
const neededBytes = 256 * 1024
const lookEveryMs = 2000

/** After a failed write, checks every two seconds whether writes work again, so that no restart is needed. */
export function createRoom({ folder, log, timers = systemTimers }: RoomOptions): Room {
  const state = { problem: undefined as string | undefined, end: (): void => undefined, closed: false }
  const listeners: (() => void)[] = []
  const checks: (() => void)[] = []
  const begin = (problem: string): void => {
    if (state.problem !== undefined || state.closed) return
    state.problem = problem
    log.error({ problem }, 'writes fail; reads still work')
    state.end = timers.every(lookEveryMs, () => void attempt({ write: true }))
  }
  const recover = (): void => {
    if (state.problem === undefined) return
    state.problem = undefined
    state.end()
    log.info('writes work again')
    for (const work of listeners) work()
  }
  const note = (error: unknown): boolean => {
    const problem = storageFault(error)
    if (problem) begin(problem)
    return problem !== undefined
  }
  const attempt = async ({ write }: { write: boolean }): Promise<void> => {
    try {
      for (const check of checks) check()
      if (!write) return
      await writeProbe(join(folder, `room-${process.pid}`))
      recover()
    } catch (error) {
      note(error)
    }
  }
  return {
    problem: () => state.problem,
    note,
    look: async () => {
      // Nothing may have been written since the disk became full, so low space requires a test write. Quotas
      // do not show in the free space; there the next write fails.
      const isScarce = await statfs(folder).then(
        ({ bavail, bsize }) => bavail * bsize < neededBytes,
        () => false,
      )
      await attempt({ write: isScarce || state.problem !== undefined })
      return state.problem
    },
    alsoTry: check => void checks.push(check),
    onRecovered: work => void listeners.push(work),
    close: () => {
      state.closed = true
      state.end()
    },
  }
}

async function writeProbe(path: string): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(Buffer.alloc(neededBytes))
    await file.sync()
  } finally {
    await file.close()
    await rm(path, { force: true, maxRetries: 5 })
  }
}
