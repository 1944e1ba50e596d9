import type { Breather } from '../../../lib/concurrency/loop-budget.js'
import type { PackedRows } from '../packed/packed-rows.js'
import { frequencyBits, maxFrequency, shortText } from '../words/text-field.js'
import type { SealedSegments, Segment } from './sealed-segments.js'

/** Bits of an entry's position in its segment. */
export const placeBits = 16

/** Postings or entries written before other work gets a turn. */
const perStep = 100

/** Maximum bytes of a posting: five for the step, one for the frequency. */
const largest = 6

/**
 * Writes the in-memory rows as a new segment, atomically. The rows must not change in the meantime.
 * @throws Error when the disk is full; nothing is sealed then.
 */
export async function sealRows(sealed: SealedSegments, rows: PackedRows, budget: Breather): Promise<void> {
  const { file } = sealed
  file.begin()
  try {
    const segment = await writeSegment(sealed, rows, budget)
    file.commit()
    sealed.segments.push(segment)
  } catch (error) {
    file.rollback()
    sealed.readOwners()
    throw error
  }
}

async function writeSegment(sealed: SealedSegments, rows: PackedRows, budget: Breather): Promise<Segment> {
  const { file } = sealed
  const { columns, content, ids } = rows
  const size = columns.count
  if (size > 1 << placeBits) throw new RangeError(`a segment has at most ${1 << placeBits} entries`)
  const segment = { segment: sealed.nextNumber, size, live: size, kept: size, length: 0, change: 0 }
  const places = new Uint32Array(columns.end)
  const lengths = new Uint32Array(size)
  const owners = new Uint32Array(size)
  const fields = Object.keys(rows.schema.columns).map(name => columns.valuesOf(name))
  let place = 0
  for (let row = 0; row < columns.end; row++) {
    if (columns.live[row] !== 1) continue
    const change = columns.change.get(row)
    file.addEntry(ids.of(row), { segment: segment.segment, place, change })
    places[row] = place
    lengths[place] = content.lengths[row]!
    owners[place] = sealed.ownerOf(fields.map(column => column.get(row)))
    segment.length += Math.max(lengths[place]!, shortText)
    segment.change = Math.max(segment.change, change)
    if (++place % perStep === 0) await budget.breathe()
  }
  await writePostings(sealed, segment, { rows, places }, budget)
  file.addSegment({ ...segment, lengths: bytesOf(lengths), owners: bytesOf(owners) })
  return segment
}

/** Sorted by term, the order in the file. */
async function writePostings(
  { file }: SealedSegments,
  { segment }: Segment,
  { rows, places }: { rows: PackedRows; places: Uint32Array },
  budget: Breather,
): Promise<void> {
  const { content, terms } = rows
  const held: [term: string, number: number][] = []
  for (let number = 1; number < terms.capacity; number++)
    if (content.postings.size(number) > 0) held.push([terms.text(number), number])
  held.sort(([a], [b]) => (a < b ? -1 : 1))
  const add = file.beginPostings(segment)
  for (const [at, [term, number]] of held.entries()) {
    const postings = content.postings.values(number)
    for (let i = 0; i < postings.length; i++) {
      const posting = postings[i]!
      postings[i] = (places[posting >>> frequencyBits]! << frequencyBits) | (posting & maxFrequency)
    }
    add({ term, holding: postings.length, data: packPostings(postings.sort()) })
    if (at % perStep === 0) await budget.breathe()
  }
  file.showPostings(segment)
}

function bytesOf(numbers: Uint32Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength)
}

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
