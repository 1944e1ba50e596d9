import type { Quiescence } from '../../../contract/operations/pipeline.js'
import { deferred } from '../../../lib/concurrency/deferred.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'

/** The pipeline is paused: such work is not begun, and what is on its way is given up with this. */
export class PipelinePaused extends Error {
  constructor() {
    super('the pipeline is paused')
  }
}

/**
 * Work that nobody waits for and that draws something from what was said, or asks a provider for it: a pass of Dreaming,
 * each question of it to a model, the writing of MEMORY.md, each batch of a repair that makes vectors (operations.md 6.2).
 */
export interface BackgroundWork {
  /**
   * Does one piece of it, unless the pipeline is paused.
   * @param signal of whoever asks for it; the one that the work gets is aborted with it, and by a pause.
   * @throws PipelinePaused
   */
  run<T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>
  /** Gives up what is in hand. */
  giveUp(): void
  /** Gives it up once `close` has seen to it that nothing new is begun, and waits for its end, `timeoutMs` at most. */
  quiesce(close: () => void, timeoutMs: number): Promise<Quiescence>
}

interface Piece {
  stop: AbortController
  /** Resolves with whether it was given up. */
  ended: Promise<boolean>
}

/** @param isPaused by the settings in force */
export function createBackgroundWork(
  isPaused: () => boolean,
  timers: Pick<Timers, 'after'> = systemTimers,
): BackgroundWork {
  const inHand = new Set<Piece>()
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
      const pieces = [...inHand]
      close()
      giveUp()
      const ends: boolean[] = []
      const late = deferred<void>()
      const cancel = timers.after(timeoutMs, late.resolve)
      const all = Promise.all(pieces.map(async ({ ended }) => ends.push(await ended)))
      await Promise.race([all, late.promise])
      cancel()
      const remaining = pieces.length - ends.length
      return {
        activeAtStart: pieces.length,
        aborted: ends.filter(Boolean).length,
        remaining,
        timedOut: remaining > 0,
      }
    },
  }
}
