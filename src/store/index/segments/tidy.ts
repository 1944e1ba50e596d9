import type { Breather } from '../../../lib/concurrency/loop-budget.js'
import type { PostingRow } from '../../tables/sessions/segment-file.js'
import { frequencyBits, shortText } from '../words/text-field.js'
import { packPostings, unpackPostings } from './postings.js'
import type { SealedSegments, Segment } from './sealed-segments.js'

/** Posting lists processed per step. */
const perStep = 100

/**
 * Rewrites segments without the words of removed entries and deletes empty segments; the bytes of these words
 * leave the file and its log (imports.md#removing). Safe to repeat after an interruption.
 */
export async function tidySegments(sealed: SealedSegments, budget: Breather): Promise<void> {
  const untidy = sealed.segments.filter(({ live, kept }) => live < kept)
  for (const segment of untidy) {
    if (segment.live > 0) await keepLiving(sealed, segment, budget)
    // All entries may have been removed during the rewrite.
    if (segment.live === 0) dropSegment(sealed, segment)
  }
  if (untidy.length > 0) sealed.file.forget()
}

async function keepLiving(sealed: SealedSegments, segment: Segment, budget: Breather): Promise<void> {
  const { file } = sealed
  const living = segment.living?.slice() ?? new Uint8Array(segment.size).fill(1)
  const buffer = new Uint32Array(segment.size)
  const add = file.beginPostings(segment.segment)
  let last = ''
  for (;;) {
    const page = file.postingsAfter(segment.segment, last, perStep)
    file.atOnce(() => {
      for (const row of page) {
        const left = livingOnly(row, living, buffer)
        if (left.length === row.holding) add(row)
        else if (left.length > 0) add({ ...row, holding: left.length, data: packPostings(left) })
      }
    })
    if (page.length < perStep) break
    last = page.at(-1)?.term as string
    await budget.breathe()
  }
  file.atOnce(() => {
    file.showPostings(segment.segment)
    noteKept(sealed, segment, living)
  })
}

function livingOnly({ data }: PostingRow, living: Uint8Array, buffer: Uint32Array): Uint32Array {
  const count = unpackPostings(data, buffer)
  return buffer.subarray(0, count).filter(posting => living[posting >>> frequencyBits] === 1)
}

function dropSegment(sealed: SealedSegments, segment: Segment): void {
  sealed.file.atOnce(() => {
    sealed.file.dropPostings(segment.segment)
    sealed.file.dropSegment(segment.segment)
  })
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
