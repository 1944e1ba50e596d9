import { frequencyBits, maxFrequency } from '../words/text-field.js'

/** Maximum bytes of a posting: five for the step, one for the frequency. */
const largest = 6

/**
 * Packs a term's postings. Each is the step from the previous position, doubled, in base 128; adding one
 * means that a frequency byte follows, otherwise the frequency is 1.
 * @param postings position << 8 | frequency, sorted by position.
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

/** @param into receives the postings given to `packPostings` and must be long enough. @returns how many. */
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
