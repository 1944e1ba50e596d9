import { everyFewMs } from '../../../../lib/every-few-ms.js'

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

/** Walks a table stretch by stretch until one is not full. @param next reads a stretch, and says where the one behind it begins. */
export async function walk<Row, Place>(
  first: Place,
  next: (place: Place) => Promise<{ rows: readonly Row[]; place: Place | undefined }>,
  each: (rows: readonly Row[]) => void | Promise<void>,
  pause: Pause,
): Promise<void> {
  let place: Place | undefined = first
  while (place !== undefined) {
    const stretch: { rows: readonly Row[]; place: Place | undefined } = await next(place)
    await each(stretch.rows)
    place = stretch.place
    await pause()
  }
}

/** The place behind the last row of a full stretch. */
export function behind<Row, Place>(
  rows: readonly Row[],
  limit: number,
  placeOf: (row: Row) => Place,
): { rows: readonly Row[]; place: Place | undefined } {
  const last = rows.length === limit ? rows.at(-1) : undefined
  return { rows, place: last && placeOf(last) }
}
