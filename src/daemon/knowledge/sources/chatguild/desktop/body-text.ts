import { promisify } from 'node:util'
import { brotliDecompress, constants, gunzip, inflate, inflateRaw } from 'node:zlib'

/** Of a body once it is decompressed; a hundred messages are a tenth of it. */
const maxOutputLength = 16 * 1024 * 1024
/** What is cut off is read as far as it goes. */
const asFarAsItGoes = { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH }

const decoders: Readonly<Record<string, (body: Buffer) => Promise<Buffer>>> = {
  '': async body => body,
  identity: async body => body,
  gzip: body => promisify<Buffer, object, Buffer>(gunzip)(body, asFarAsItGoes),
  deflate: body => promisify<Buffer, object, Buffer>(inflate)(body, asFarAsItGoes),
  // The middle of gzip: gzip itself refuses what it does not know behind its end.
  raw: body => promisify<Buffer, object, Buffer>(inflateRaw)(body, asFarAsItGoes),
  br: body => promisify<Buffer, object, Buffer>(brotliDecompress)(body, { maxOutputLength }),
}

/**
 * The text of a body as it came over the network; undefined for one that can't be read: zstd, or a broken one.
 * @param encoding as `content-encoding` names it, or `raw`
 */
export async function bodyText(body: Buffer, encoding: string): Promise<string | undefined> {
  const decode = decoders[encoding]
  try {
    return (await decode?.(body))?.toString('utf8')
  } catch {
    return undefined
  }
}
