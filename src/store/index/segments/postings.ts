import { frequencyBits, maxFrequency } from '../words/text-field.js'

/** The largest posting in bytes: five for the step to its place, one for its frequency. */
const largest = 6

/**
 * Postings of a term as bytes: for each the step from the place before, doubled, as a number of seven bits a byte; one
 * more says that a byte with the frequency follows, otherwise it is 1.
 * @param postings place << 8 | frequency, in the order of their places.
 */
export function packPostings(postings: Uint32Array): Buffer {
  const bytes = Buffer.allocUnsafe(postings.length * largest)
  let end = 0
  let before = 0
  for (const posting of postings) {
    const place = posting >>> frequencyBits
    const frequency = posting & maxFrequency
    let rest = (place - before) * 2 + (frequency === 1 ? 0 : 1)
    for (; rest > 0x7f; rest >>>= 7) bytes[end++] = (rest & 0x7f) | 0x80
    bytes[end++] = rest
    if (frequency !== 1) bytes[end++] = frequency
    before = place
  }
  return bytes.subarray(0, end)
}

/** @param into takes the postings that `packPostings` got; it is long enough. @returns how many. */
export function unpackPostings(bytes: Uint8Array, into: Uint32Array): number {
  let count = 0
  let place = 0
  for (let at = 0; at < bytes.length; ) {
    let step = 0
    let shift = 0
    let byte = bytes[at++]!
    for (; byte > 0x7f; byte = bytes[at++]!) {
      step |= (byte & 0x7f) << shift
      shift += 7
    }
    step |= byte << shift
    place += step >>> 1
    const frequency = (step & 1) === 0 ? 1 : bytes[at++]!
    into[count++] = ((place << frequencyBits) | frequency) >>> 0
  }
  return count
}
