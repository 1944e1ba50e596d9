import { createReadStream } from 'node:fs'
import type { LoopBudget } from '../../../../lib/concurrency/loop-budget.js'
import { maxFileBytes } from '../../../sessions/transcripts/transcript-file.js'
import type { Adapter, RecordOffset, RecordResult } from './adapter.js'

const pieceBytes = 256 * 1024

/** A record of a file before parsing. */
export interface FileRecord {
  /** Number within its file, from 1. */
  number: number
  /** Offset of the record's end in the file. */
  end: number
  /** Bytes in memory for the record. */
  size: number
  read(): RecordResult | Promise<RecordResult>
}

export interface RecordSource {
  adapter: Adapter
  /** The client's name for the file. */
  name: string
  path: string
  /** Working folder of its conversation, if the client named it. */
  folder: string | null
  /** Bytes of the file. */
  size: number
  budget: LoopBudget
}

/** Yields the records of a file after an offset. */
export async function* recordsOf(
  { adapter, name, path, folder, size, budget }: RecordSource,
  place: RecordOffset,
): AsyncGenerator<FileRecord> {
  if (place.bytes >= size) return
  const bytes = () => createReadStream(path, { start: place.bytes, highWaterMark: pieceBytes })
  if ('readFile' in adapter) {
    const read = () =>
      size > maxFileBytes
        ? { rejection: 'record_too_large' as const }
        : adapter.readFile({ name, folder, bytes: bytes() }, budget)
    yield { number: 1, end: size, size: 0, read }
    return
  }
  for await (const record of adapter.framing(inSlices(bytes(), budget), place)) {
    const { number, end } = record
    const read = (): RecordResult =>
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
