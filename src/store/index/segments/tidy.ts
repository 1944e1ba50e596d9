import type { Breather } from '../../../lib/loop-budget.js'
import type { PostingRow } from '../../tables/sessions/segment-file.js'
import { frequencyBits, shortText } from '../words/text-field.js'
import { packPostings, unpackPostings } from './postings.js'
import type { SealedSegments, Segment } from './sealed-segments.js'

/** Posting lists that are looked through together. */
const perStep = 100

/**
 * Takes the words of entries that are gone out of their segments, and segments without entries away. What is broken off
 * is done again.
 */
export async function tidySegments(sealed: SealedSegments, budget: Breather): Promise<void> {
  for (const segment of sealed.segments.filter(({ live, kept }) => live < kept)) {
    const living = segment.living?.slice() ?? new Uint8Array(segment.size)
    await keepLiving(sealed, segment, living, budget)
    if (segment.live === 0) dropSegment(sealed, segment)
    else noteKept(sealed, segment, living)
  }
}

async function keepLiving(
  { file }: SealedSegments,
  { segment, size }: Segment,
  living: Uint8Array,
  budget: Breather,
): Promise<void> {
  const buffer = new Uint32Array(size)
  let last = ''
  for (;;) {
    const page = file.postingsAfter(segment, last, perStep)
    file.atOnce(() => {
      for (const row of page) {
        const left = livingOnly(row, living, buffer)
        if (left.length === 0) file.dropPostings(segment, row.term)
        else if (left.length < row.holding)
          file.putPostings(segment, { ...row, holding: left.length, data: packPostings(left) })
      }
    })
    if (page.length < perStep) return
    last = page.at(-1)?.term as string
    await budget.breathe()
  }
}

function livingOnly({ data }: PostingRow, living: Uint8Array, buffer: Uint32Array): Uint32Array {
  const count = unpackPostings(data, buffer)
  return buffer.subarray(0, count).filter(posting => living[posting >>> frequencyBits] === 1)
}

function dropSegment(sealed: SealedSegments, segment: Segment): void {
  sealed.file.dropSegment(segment.segment)
  sealed.segments = sealed.segments.filter(one => one !== segment)
}

function noteKept(sealed: SealedSegments, segment: Segment, living: Uint8Array): void {
  const { lengths } = sealed.columnsOf(segment) ?? { lengths: new Uint32Array(0) }
  segment.kept = 0
  segment.length = 0
  for (let place = 0; place < lengths.length; place++) {
    if (living[place] !== 1) continue
    segment.kept++
    segment.length += Math.max(lengths[place]!, shortText)
  }
  sealed.file.keep(segment.segment, segment.kept, segment.length)
}
