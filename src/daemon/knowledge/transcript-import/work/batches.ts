import type { RecordResult } from '../forms/adapter.js'
import type { FileRecord } from '../forms/file-records.js'
import type { RecordOffset } from '../forms/raw-record.js'

/** Limits of records and bytes committed together. */
const maxRecords = 25
const maxBytes = 8 * 1024 * 1024

export interface ReadRecord {
  /** Number within its file, from 1. */
  line: number
  reading: RecordResult
}

export interface Batch {
  records: readonly ReadRecord[]
  /** Start of the next batch. */
  place: RecordOffset
}

/** Groups records into batches, in order; a record larger than a batch gets one of its own. */
export async function* batchesOf(records: AsyncIterable<FileRecord>): AsyncGenerator<Batch> {
  let pending: ReadRecord[] = []
  let bytes = 0
  let place: RecordOffset = { bytes: 0, number: 0 }
  for await (const { number, end, size, read } of records) {
    if (pending.length > 0 && bytes + size > maxBytes) {
      yield { records: pending, place }
      pending = []
      bytes = 0
    }
    pending.push({ line: number, reading: await read() })
    bytes += size
    place = { bytes: end, number }
    if (pending.length < maxRecords) continue
    yield { records: pending, place }
    pending = []
    bytes = 0
  }
  if (pending.length > 0) yield { records: pending, place }
}
