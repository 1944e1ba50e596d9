import { promisify } from 'node:util'
import { brotliDecompress, constants, gunzip, inflate, inflateRaw } from 'node:zlib'

/** Of a body once it is decompressed, which is parsed in one go; fifty messages are a tenth of it. */
export const maxOutputLength = 4 * 1024 * 1024

/** What is cut off is read as far as it goes. */
const asFarAsItGoes = { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH }

const decoders: Readonly<Record<string, (body: Buffer) => Promise<Buffer>>> = {
  '': plain,
  identity: plain,
  gzip: body => promisify<Buffer, object, Buffer>(gunzip)(body, asFarAsItGoes),
  deflate: body => promisify<Buffer, object, Buffer>(inflate)(body, asFarAsItGoes),
  // The middle of gzip: gzip itself refuses what it does not know behind its end.
  raw: body => promisify<Buffer, object, Buffer>(inflateRaw)(body, asFarAsItGoes),
  br: body => promisify<Buffer, object, Buffer>(brotliDecompress)(body, { maxOutputLength }),
}

/** One cached reply: under which address, and its body as the network brought it. */
export interface CacheEntry {
  url: string
  /** Still compressed. */
  body: Buffer
  /** `content-encoding` of the reply; empty where it names none. */
  encoding: string
}

/** The address in the key of an entry: Chromium puts the page that asked before it. */
export function addressIn(key: string): string | undefined {
  return /https:\/\/(?:\w+\.)?discord(?:app)?\.com\/\S*$/u.exec(key)?.[0]
}

/** What the kept headers of a reply say of its encoding. */
export function encodingIn(headers: Buffer): string {
  return /content-encoding:\s*([\w-]+)/iu.exec(headers.toString('latin1'))?.[1]?.toLowerCase() ?? ''
}

async function plain(body: Buffer): Promise<Buffer> {
  if (body.length > maxOutputLength) throw new RangeError('the body is too long')
  return body
}

/**
 * The text of a body as it came over the network; undefined for one that can't be read: zstd, a broken one,
 * or one that is too long to be parsed in one go.
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
