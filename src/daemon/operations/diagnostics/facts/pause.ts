import { everyFewMs } from '../../../../lib/concurrency/every-few-ms.js'

/** Rows that one statement looks at: a few milliseconds, so that no read keeps the log from being copied. */
export const stretchRows = 2000

/** Ends a walk whose time is over. */
export class OutOfTime extends Error {
  override name = 'OutOfTime'
}

/** Called between the stretches of a walk. @throws OutOfTime */
export type Pause = () => Promise<void>

/** Gives the event loop its turns, and ends the work at a deadline. @param now milliseconds of a monotonic clock. */
export function pauseUntil(deadline: number, now: () => number, signal?: AbortSignal): Pause {
  const breathe = everyFewMs()
  return async () => {
    signal?.throwIfAborted()
    if (now() > deadline) throw new OutOfTime('the time for this look is over')
    await breathe()
  }
}
