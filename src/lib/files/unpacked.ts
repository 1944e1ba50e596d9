import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** Endings of files that `unpacked` reads. */
export const packedEnding = /\.(?:zst|gz)$/iu

/** A packed file that is damaged, or whose content is larger than allowed. */
export class PackedFault extends Error {
  override name = 'PackedFault'

  constructor(
    message: string,
    readonly isTooLarge = false,
  ) {
    super(message)
  }
}

const zstdMark = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const gzipMark = Buffer.from([0x1f, 0x8b])
/** Packed bytes that are handed to the reader at once. */
const pieceBytes = 16 * 1024

/**
 * Yields the content of a file that may be packed with zstd or gzip, as its first bytes say; other bytes stay
 * as they are.
 * @throws PackedFault
 */
export async function* unpacked(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  const iterator = source[Symbol.asyncIterator]()
  let head: Buffer = Buffer.alloc(0)
  while (head.length < zstdMark.length) {
    const { value, done } = await iterator.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  const all = async function* (): AsyncGenerator<Buffer> {
    if (head.length > 0) yield head
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  const begins = (mark: Buffer): boolean => head.subarray(0, mark.length).equals(mark)
  if (begins(zstdMark)) yield* limited(fromZstd(all(), maxBytes), maxBytes)
  else if (begins(gzipMark)) yield* limited(fromGzip(all()), maxBytes)
  else yield* all()
}

async function* limited(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const piece of source) {
    bytes += piece.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    yield piece
  }
}

function tooLarge(maxBytes: number): PackedFault {
  return new PackedFault(`its content has more than ${maxBytes} bytes`, true)
}

async function* fromGzip(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* Readable.from(source).pipe(createGunzip()) as AsyncIterable<Buffer>
  } catch (error) {
    throw new PackedFault((error as Error).message)
  }
}

async function* fromZstd(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  const { Decompress } = await import('fzstd')
  const ready: Buffer[] = []
  let bytes = 0
  const unpacking = new Decompress(piece => {
    bytes += piece.length
    // A few packed bytes may become gigabytes before they could be counted elsewhere.
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    ready.push(Buffer.from(piece))
  })
  const push = (piece: Buffer, isLast: boolean): void => {
    try {
      unpacking.push(piece, isLast)
    } catch (error) {
      throw error instanceof PackedFault ? error : new PackedFault((error as Error).message)
    }
  }
  for await (const piece of source)
    for (let from = 0; from < piece.length; from += pieceBytes) {
      push(piece.subarray(from, from + pieceBytes), false)
      yield* ready.splice(0)
    }
  push(Buffer.alloc(0), true)
  yield* ready.splice(0)
}
