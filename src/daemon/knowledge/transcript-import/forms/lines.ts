import { type RawRecord, RecordBytes, type RecordPlace } from './raw-record.js'

const newline = 10
/** Space, tab, carriage return, and the bytes of a byte order mark. */
const blank = new Set([32, 9, 13, 0xef, 0xbb, 0xbf])

/** The lines of a file, but for blank ones, which are counted. */
export async function* lineRecords(
  source: AsyncIterable<Buffer>,
  { bytes, number: known }: RecordPlace,
): AsyncGenerator<RawRecord> {
  const line = new RecordBytes()
  let number = known
  let end = bytes
  const taken = (): RawRecord[] => {
    const record = { number, end, bytes: line.take() }
    return record.bytes && isBlank(record.bytes) ? [] : [record]
  }
  for await (const piece of source) {
    let from = 0
    for (let at = piece.indexOf(newline); at >= 0; at = piece.indexOf(newline, from)) {
      line.add(piece.subarray(from, at))
      end += at + 1 - from
      from = at + 1
      number++
      yield* taken()
    }
    line.add(piece.subarray(from))
    end += piece.length - from
  }
  if (line.length === 0) return
  number++
  yield* taken()
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (!blank.has(byte)) return false
  return true
}
