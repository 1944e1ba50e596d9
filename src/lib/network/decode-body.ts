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
 * How a body is read that a server, or a proxy before it, compressed although nobody asked for that.
 * Reading throws an Error in plain words when what was sent is broken.
 * @param encoding the header `content-encoding`. @returns undefined for one that is not known
 */
export function decoderFor(encoding: string | string[] | undefined): Decode | undefined {
  const name = String(encoding ?? '')
    .trim()
    .toLowerCase()
  return Object.hasOwn(decoders, name) ? decoders[name] : undefined
}

/** What was sent, as it comes out: it may be far more than what goes in, so that its reader has to count. */
async function* through(body: Readable, decoder: Transform): AsyncGenerator<Uint8Array> {
  try {
    yield* pipeline(body, decoder, () => undefined)
  } catch (error) {
    if (isBroken(error)) throw new Error("its answer can't be decompressed")
    throw error
  }
}

/** zlib's own codes begin with Z_, those of Brotli with ERR__ERROR. */
function isBroken(error: unknown): boolean {
  return /^(?:Z_|ERR__ERROR_)/u.test((error as NodeJS.ErrnoException).code ?? '')
}

/** All bytes of a body. @throws `tooLarge()` when there are more than `maxBytes`; the rest is not read then. */
export async function readAtMost(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Buffer> {
  const { bytes, isCut } = await readBeginning(body, maxBytes)
  if (isCut) throw tooLarge()
  return bytes
}

/** The first `maxBytes` bytes of a body; `isCut`: there are more, of which no more is read than the piece that said so. */
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
