import type { Quiescence } from '../../../contract/operations/pipeline.js'
import { deferred } from '../../../lib/concurrency/deferred.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'

/** Dreaming is paused: its work is not started, and running work is aborted with this error. */
export class PipelinePaused extends Error {
  constructor() {
    super('Dreaming is paused')
  }
}

/**
 * Background work that a pause of Dreaming stops (operations.md 6.2): passes of Dreaming and their model
 * questions, writing MEMORY.md, and batches of vector repairs.
 */
export interface BackgroundWork {
  /**
   * Runs work unless Dreaming is paused.
   * @param signal of the caller; the work's own signal is aborted with it, and by a pause.
   * @throws PipelinePaused
   */
  run<T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>
  /** Aborts running work. */
  giveUp(): void
  /**
   * Calls `close`, which must prevent new work, aborts running work and waits up to `timeoutMs` for its end.
   */
  quiesce(close: () => Promise<void>, timeoutMs: number): Promise<Quiescence>
}

interface RunningWork {
  stop: AbortController
  /** Resolves with whether it was aborted. */
  ended: Promise<boolean>
}

/** @param isPaused according to the current settings */
export function createBackgroundWork(
  isPaused: () => boolean,
  timers: Pick<Timers, 'after'> = systemTimers,
): BackgroundWork {
  const inHand = new Set<RunningWork>()
  const giveUp = (): void => {
    for (const { stop } of inHand) stop.abort(new PipelinePaused())
  }
  return {
    giveUp,
    run: async (work, signal) => {
      if (isPaused()) throw new PipelinePaused()
      const stop = new AbortController()
      const end = deferred<boolean>()
      const piece = { stop, ended: end.promise }
      inHand.add(piece)
      const leave = (isGivenUp: boolean): void => {
        inHand.delete(piece)
        end.resolve(isGivenUp)
      }
      try {
        const done = await work(signal ? AbortSignal.any([stop.signal, signal]) : stop.signal)
        leave(false)
        return done
      } catch (error) {
        leave(stop.signal.aborted)
        throw error
      }
    },
    quiesce: async (close, timeoutMs) => {
      const pieces = new Set(inHand)
      await close()
      for (const piece of inHand) pieces.add(piece)
      giveUp()
      const ends: boolean[] = []
      const late = deferred<void>()
      const cancel = timers.after(timeoutMs, late.resolve)
      const all = Promise.all([...pieces].map(async ({ ended }) => ends.push(await ended)))
      await Promise.race([all, late.promise])
      cancel()
      const remaining = pieces.size - ends.length
      return {
        activeAtStart: pieces.size,
        aborted: ends.filter(Boolean).length,
        remaining,
        timedOut: remaining > 0,
      }
    },
  }
}
