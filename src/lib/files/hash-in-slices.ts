import { createHash } from 'node:crypto'
import { everyFewMs } from '../concurrency/every-few-ms.js'

/** Characters or bytes hashed per turn of the event loop. */
const sliceLength = 256 * 1024

/** Returns the hexadecimal SHA-256 of the concatenated parts, and yields to the event loop between slices. */
export async function hashInSlices(...parts: readonly (string | Uint8Array)[]): Promise<string> {
  const breathe = everyFewMs()
  const hash = createHash('sha256')
  for (const part of parts)
    for (let from = 0; from < part.length; from += sliceLength) {
      hash.update(part.slice(from, from + sliceLength))
      await breathe()
    }
  return hash.digest('hex')
}
