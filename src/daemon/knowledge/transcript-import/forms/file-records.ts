import { createReadStream } from 'node:fs'
import type { LoopBudget } from '../../../../lib/concurrency/loop-budget.js'
import { maxFileBytes } from '../../../sessions/transcripts/transcript-file.js'
import type { Adapter, Reading } from './adapter.js'
import type { RecordPlace } from './raw-record.js'

const pieceBytes = 256 * 1024

/** A record of a file, not yet read. */
export interface FileRecord {
  /** In its file, from 1. */
  number: number
  /** Bytes of the file up to its end. */
  end: number
  /** Bytes that are held or read for it. */
  size: number
  read(): Reading | Promise<Reading>
}

export interface RecordSource {
  adapter: Adapter
  /** What the client calls the file. */
  name: string
  path: string
  /** Bytes of the file. */
  size: number
  budget: LoopBudget
}

/** The records of a file behind a place, as they are read. */
export async function* recordsOf(
  { adapter, name, path, size, budget }: RecordSource,
  place: RecordPlace,
): AsyncGenerator<FileRecord> {
  if (place.bytes >= size) return
  const bytes = () => createReadStream(path, { start: place.bytes, highWaterMark: pieceBytes })
  if ('readFile' in adapter) {
    const read = () =>
      size > maxFileBytes
        ? { rejection: 'record_too_large' as const }
        : adapter.readFile({ name, bytes: bytes() }, budget)
    yield { number: 1, end: size, size: 0, read }
    return
  }
  for await (const record of adapter.framing(inSlices(bytes(), budget), place)) {
    const { number, end } = record
    const read = (): Reading =>
      record.bytes ? adapter.read(record.bytes) : { rejection: 'record_too_large' }
    yield { number, end, size: record.bytes?.length ?? 0, read }
  }
}

async function* inSlices(source: AsyncIterable<Buffer>, budget: LoopBudget): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    yield piece
    await budget.breathe()
  }
}
