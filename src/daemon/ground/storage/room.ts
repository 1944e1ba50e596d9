import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { storageFault } from '../../../lib/storage-fault.js'
import { systemTimers, type Timers } from '../../../lib/timers.js'

/** Whether the disk takes writes. Nothing is refused beforehand: each write tries, and tells what it met. */
export interface Room {
  /** Why writes fail, in words; undefined while they do not. */
  problem(): string | undefined
  /** Hears of an error; one of the disk begins a problem. @returns whether it was one. */
  note(error: unknown): boolean
  /** Looks whether there is room. @returns the problem, if there is one. */
  look(): Promise<string | undefined>
  /** Called each time that a problem has ended. */
  onRecovered(work: () => void): void
  close(): void
}

export interface RoomOptions {
  /** A folder of the workspace; a file is written there to see whether that can be done. */
  folder: string
  log: Logger
  timers?: Timers
}

/** What a save with its index and its log takes, and some more: with less, the next write may fail. */
const neededBytes = 256 * 1024
const lookEveryMs = 2000

/** Once a write has failed it looks every two seconds whether there is room again: nobody needs to restart anything. */
export function createRoom({ folder, log, timers = systemTimers }: RoomOptions): Room {
  const state = { problem: undefined as string | undefined, end: (): void => undefined, closed: false }
  const listeners: (() => void)[] = []
  const begin = (problem: string): void => {
    if (state.problem !== undefined || state.closed) return
    state.problem = problem
    log.error({ problem }, 'writes fail: reads go on')
    state.end = timers.every(lookEveryMs, () => void probe())
  }
  const recover = (): void => {
    if (state.problem === undefined) return
    state.problem = undefined
    state.end()
    log.info('there is room for writes again')
    for (const work of listeners) work()
  }
  const note = (error: unknown): boolean => {
    const problem = storageFault(error)
    if (problem) begin(problem)
    return problem !== undefined
  }
  const probe = async (): Promise<void> => {
    try {
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
      // Nobody may have written since the disk became full. A quota shows in no such number: there the next write tells.
      const isScarce = await statfs(folder).then(
        ({ bavail, bsize }) => bavail * bsize < neededBytes,
        () => false,
      )
      if (isScarce || state.problem !== undefined) await probe()
      return state.problem
    },
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
    await rm(path, { force: true })
  }
}
