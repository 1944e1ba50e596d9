import { promisify } from 'node:util'
import { brotliDecompress, constants, gunzip, inflate, inflateRaw } from 'node:zlib'

/** Maximum decompressed size of a body, because it is parsed at once; fifty messages take a tenth of it. */
export const maxOutputLength = 4 * 1024 * 1024

/** Decodes truncated bodies as far as possible. */
const asFarAsItGoes = { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH }

const decoders: Readonly<Record<string, (body: Buffer) => Promise<Buffer>>> = {
  '': plain,
  identity: plain,
  gzip: body => promisify<Buffer, object, Buffer>(gunzip)(body, asFarAsItGoes),
  deflate: body => promisify<Buffer, object, Buffer>(inflate)(body, asFarAsItGoes),
  // The deflate part of gzip, because gunzip rejects unknown bytes after its end.
  raw: body => promisify<Buffer, object, Buffer>(inflateRaw)(body, asFarAsItGoes),
  br: body => promisify<Buffer, object, Buffer>(brotliDecompress)(body, { maxOutputLength }),
}

/** One cached reply: its address and its body as received. */
export interface CacheEntry {
  url: string
  /** Still compressed. */
  body: Buffer
  /** The reply's `content-encoding`; empty if there was none. */
  encoding: string
}

/** Returns the address in an entry's key; Chromium puts the address of the requesting page before it. */
export function addressIn(key: string): string | undefined {
  return /https:\/\/(?:\w+\.)?discord(?:app)?\.com\/\S*$/u.exec(key)?.[0]
}

/** Returns the content encoding from a reply's stored headers. */
export function encodingIn(headers: Buffer): string {
  return /content-encoding:\s*([\w-]+)/iu.exec(headers.toString('latin1'))?.[1]?.toLowerCase() ?? ''
}

async function plain(body: Buffer): Promise<Buffer> {
  if (body.length > maxOutputLength) throw new RangeError('the body is too long')
  return body
}

/**
 * Decodes a body; undefined if it is unreadable: zstd, damaged, or too long to parse at once.
 * @param encoding a `content-encoding`, or `raw`
 */
export async function bodyText(body: Buffer, encoding: string): Promise<string | undefined> {
  const decode = decoders[encoding]
  try {
    return (await decode?.(body))?.toString('utf8')
  } catch {
    return undefined
  }
}
