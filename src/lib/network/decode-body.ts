import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

type Decode = (body: Readable) => AsyncIterable<Uint8Array>

const decoders: Readonly<Record<string, Decode>> = {
  '': body => body,
  identity: body => body,
  gzip: body => through(body, createGunzip()),
  'x-gzip': body => through(body, createGunzip()),
  deflate: body => through(body, createInflate()),
  br: body => through(body, createBrotliDecompress()),
}

/**
 * Returns a decoder for a response body that a server or proxy compressed without being asked to. Reading
 * throws an Error with a readable message if the compressed data is corrupt.
 * @param encoding the header `content-encoding`. @returns undefined for an unknown encoding
 */
export function decoderFor(encoding: string | string[] | undefined): Decode | undefined {
  const name = String(encoding ?? '')
    .trim()
    .toLowerCase()
  return Object.hasOwn(decoders, name) ? decoders[name] : undefined
}

/** The decompressed data may be much larger than the input, so its reader has to limit it. */
async function* through(body: Readable, decoder: Transform): AsyncGenerator<Uint8Array> {
  try {
    yield* pipeline(body, decoder, () => undefined)
  } catch (error) {
    if (isBroken(error)) throw new Error("its answer can't be decompressed")
    throw error
  }
}

/** zlib's own error codes begin with Z_, those of Brotli with ERR__ERROR. */
function isBroken(error: unknown): boolean {
  return /^(?:Z_|ERR__ERROR_)/u.test((error as NodeJS.ErrnoException).code ?? '')
}

/** Reads a whole body. @throws `tooLarge()` beyond `maxBytes`; the rest is not read then. */
export async function readAtMost(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Buffer> {
  const { bytes, isCut } = await readBeginning(body, maxBytes)
  if (isCut) throw tooLarge()
  return bytes
}

/**
 * Reads the first `maxBytes` bytes of a body; `isCut` is true if there are more. Reading stops at the chunk
 * that exceeds the limit.
 */
export async function readBeginning(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ bytes: Buffer; isCut: boolean }> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body) {
    size += piece.length
    pieces.push(piece)
    if (size > maxBytes) break
  }
  return { bytes: Buffer.concat(pieces).subarray(0, maxBytes), isCut: size > maxBytes }
}
