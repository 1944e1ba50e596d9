import { randomFillSync } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'

const randomBytes = 16
/**
 * Random bytes are drawn for this many ids at once, because drawing them costs more than the rest of an id.
 */
const idsAtOnce = 256

/**
 * Returns a generator of UUIDs version 7, each greater than the previous one, fast enough for thousands.
 * @param now milliseconds since 1970
 */
export function timeOrderedIds(now: () => number = Date.now): () => string {
  const pool = Buffer.alloc(randomBytes * idsAtOnce)
  let used = pool.length
  let msecs = Number.NEGATIVE_INFINITY
  let seq = 0
  return () => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const random = pool.subarray(used, used + randomBytes)
    used += randomBytes
    const time = now()
    if (time > msecs) {
      msecs = time
      // Half of the range is left for counting upwards.
      seq = random.readUInt32BE(0) >>> 1
    } else {
      seq = (seq + 1) >>> 0
      if (seq === 0) msecs++
    }
    return uuidv7({ random, msecs, seq })
  }
}
