import { addressIn, type CacheEntry, encodingIn } from './cache-entry.js'

/** Of the "simple" cache of Chromium: a header, the key, the body, its end, the headers of the reply, their end. */
const headerMagic = 0xfcfb6d1ba7725c30n
const endMagic = 0xf4fa6f45970d41d8n
const headerBytes = 24
const endBytes = 24
const keyHashBytes = 32
const hasKeyHash = 2

/** Whether a file is an entry of that cache. */
export function isSimpleEntry(file: Buffer): boolean {
  return file.length > headerBytes && file.readBigUInt64LE(0) === headerMagic
}

/** The reply in an entry. @returns undefined for one of another site, or one that is not whole */
export function simpleEntry(file: Buffer): CacheEntry | undefined {
  const keyEnd = headerBytes + file.readUInt32LE(12)
  const url = keyEnd <= file.length ? addressIn(file.toString('latin1', headerBytes, keyEnd)) : undefined
  if (!url) return undefined
  const headersEnd = file.length - endBytes
  if (headersEnd < keyEnd || file.readBigUInt64LE(headersEnd) !== endMagic) return undefined
  const flags = file.readUInt32LE(headersEnd + 8)
  const size = file.readUInt32LE(headersEnd + 16)
  const start = headersEnd - (flags & hasKeyHash ? keyHashBytes : 0) - size
  const bodyEnd = start - endBytes
  if (bodyEnd < keyEnd || file.readBigUInt64LE(bodyEnd) !== endMagic) return undefined
  return {
    url,
    body: file.subarray(keyEnd, bodyEnd),
    encoding: encodingIn(file.subarray(start, start + size)),
  }
}
