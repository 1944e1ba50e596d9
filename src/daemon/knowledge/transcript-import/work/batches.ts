import type { Reading } from '../forms/adapter.js'
import type { FileRecord } from '../forms/file-records.js'
import type { RecordPlace } from '../forms/raw-record.js'

/** Records, and bytes of them, that are committed together. */
const maxRecords = 25
const maxBytes = 8 * 1024 * 1024

export interface ReadRecord {
  /** In its file, from 1. */
  line: number
  reading: Reading
}

export interface Batch {
  records: readonly ReadRecord[]
  /** Where the next one begins. */
  place: RecordPlace
}

/** Records in batches, in their order; a record that is larger than a batch is one alone. */
export async function* batchesOf(records: AsyncIterable<FileRecord>): AsyncGenerator<Batch> {
  let pending: ReadRecord[] = []
  let bytes = 0
  let place: RecordPlace = { bytes: 0, number: 0 }
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
