import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { SyncRecord } from '../rules/records.js'

/** Files of one form: changes, a part of a checkpoint, its list, and what a device has read. */
export type FileKind = 'segment' | 'part' | 'checkpoint' | 'read'

/** A segment that is not what its writer wrote, or that this machine may not read. */
export class SegmentFault extends Error {
  override name = 'SegmentFault'
}

/** The hash before the first segment of a device. */
export const noHash = '0'.repeat(64)

/** Everything outside the encrypted part; all of it is authenticated. */
export interface SegmentHead {
  /** Id of the store, in 32 hex digits. */
  store: string
  /** Tag of the device that wrote it. */
  device: string
  /** Number among the segments of that device, without gaps, from 1. */
  number: number
  /** Epoch of the key. */
  epoch: number
  /** SHA-256 of the segment before it; `noHash` for the first. */
  previous: string
}

export interface SegmentKeys {
  /** Key of the epoch, 32 bytes. */
  epochKey: Uint8Array
  /** Ed25519 key of the writer: private to write, public to read. */
  signing: KeyObject
}

const magics = { segment: 'MSG1', part: 'MCP1', checkpoint: 'MCH1', read: 'MRD1' } as const
const format = 1
const algorithm = 'chacha20-poly1305'
const [storeBytes, hashBytes, saltBytes, nonceBytes, tagBytes, signatureBytes] = [16, 32, 32, 12, 16, 64]
const tagChars = 16
/** Magic, format, store, device, number, epoch, previous hash, salt, nonce, length. */
const headBytes = 4 + 1 + storeBytes + tagChars + 8 + 4 + hashBytes + saltBytes + nonceBytes + 4
/** A longer segment is refused before it is read. */
export const mostSegmentBytes = 16 * 1024 * 1024
const mostTextBytes = 64 * 1024 * 1024

/** Writes records as one file: compressed, padded, encrypted and signed. */
export function encodeSegment(
  head: SegmentHead,
  records: readonly unknown[],
  keys: SegmentKeys,
  kind: FileKind = 'segment',
): Buffer {
  const lines = deflateRawSync(Buffer.from(records.map(record => JSON.stringify(record)).join('\n')))
  const plain = Buffer.alloc(paddedLength(lines.length + 4))
  plain.writeUInt32BE(lines.length)
  lines.copy(plain, 4)
  const [salt, nonce] = [randomBytes(saltBytes), randomBytes(nonceBytes)]
  const outside = Buffer.concat([
    Buffer.from(magics[kind]),
    Buffer.from([format]),
    Buffer.from(head.store, 'hex'),
    Buffer.from(head.device.padEnd(tagChars, '\0'), 'latin1'),
    wide(head.number),
    uint32(head.epoch),
    Buffer.from(head.previous, 'hex'),
    salt,
    nonce,
    uint32(plain.length),
  ])
  if (outside.length !== headBytes) throw new Error('the head of a segment has a wrong length')
  const options = { authTagLength: tagBytes }
  const cipher = createCipheriv(algorithm, keyOf(kind, head, salt, keys), nonce, options)
  cipher.setAAD(outside, { plaintextLength: plain.length })
  const sealed = Buffer.concat([outside, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  return Buffer.concat([sealed, sign(null, createHash('sha256').update(sealed).digest(), keys.signing)])
}

/**
 * Reads the head of a segment, without any key.
 * @throws SegmentFault for a file that is cut, too long, of another program or of a newer format
 */
export function headOf(
  file: Buffer,
  kind: FileKind = 'segment',
): SegmentHead & { salt: Buffer; nonce: Buffer; length: number } {
  if (file.length > mostSegmentBytes) throw new SegmentFault('it is longer than a segment may be')
  if (file.length < headBytes || file.toString('latin1', 0, 4) !== magics[kind])
    throw new SegmentFault(`it is not a whole ${kind}`)
  if (file[4] !== format) throw new SegmentFault(`it has format ${file[4]}: a newer memory-service wrote it`)
  let at = 5
  const take = (bytes: number): Buffer => {
    at += bytes
    return file.subarray(at - bytes, at)
  }
  const store = take(storeBytes).toString('hex')
  const device = take(tagChars).toString('latin1').replaceAll('\0', '')
  const number = Number(take(8).readBigUInt64BE())
  const epoch = take(4).readUInt32BE()
  const previous = take(hashBytes).toString('hex')
  const [salt, nonce] = [take(saltBytes), take(nonceBytes)]
  const length = take(4).readUInt32BE()
  if (file.length !== headBytes + length + tagBytes + signatureBytes)
    throw new SegmentFault('it is cut, or has more than it should')
  return { store, device, number, epoch, previous, salt, nonce, length }
}

/**
 * Reads a segment.
 * @param wanted the head that it must have: a file under another name or in another place is refused
 * @throws SegmentFault
 */
export function decodeSegment<T = SyncRecord>(
  file: Buffer,
  wanted: SegmentHead,
  keys: SegmentKeys,
  kind: FileKind = 'segment',
): T[] {
  const { salt, nonce, length, ...head } = headOf(file, kind)
  for (const name of ['store', 'device', 'number', 'epoch', 'previous'] as const)
    if (head[name] !== wanted[name])
      throw new SegmentFault(`its ${name} is ${head[name]}, not ${wanted[name]}`)
  const sealed = file.subarray(0, file.length - signatureBytes)
  const digest = createHash('sha256').update(sealed).digest()
  if (!verify(null, digest, keys.signing, file.subarray(sealed.length)))
    throw new SegmentFault(`it is not signed by ${wanted.device}`)
  return recordsIn<T>(opened(sealed, { kind, head, salt, nonce, length, keys }))
}

/** SHA-256 of a whole segment, for its name and for the next segment. */
export function hashOf(file: Uint8Array): string {
  return createHash('sha256').update(file).digest('hex')
}

interface Opening {
  kind: FileKind
  head: SegmentHead
  salt: Buffer
  nonce: Buffer
  length: number
  keys: SegmentKeys
}

function opened(sealed: Buffer, { kind, head, salt, nonce, length, keys }: Opening): Buffer {
  const options = { authTagLength: tagBytes }
  const decipher = createDecipheriv(algorithm, keyOf(kind, head, salt, keys), nonce, options)
  decipher.setAAD(sealed.subarray(0, headBytes), { plaintextLength: length })
  decipher.setAuthTag(sealed.subarray(headBytes + length))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(headBytes, headBytes + length)), decipher.final()])
  } catch {
    throw new SegmentFault('the key of its epoch does not open it')
  }
}

function recordsIn<T>(plain: Buffer): T[] {
  const length = plain.length < 4 ? Number.POSITIVE_INFINITY : plain.readUInt32BE()
  if (length > plain.length - 4) throw new SegmentFault('its contents are cut')
  const options = { maxOutputLength: mostTextBytes }
  const text = inflateRawSync(plain.subarray(4, 4 + length), options).toString('utf8')
  return text === '' ? [] : text.split('\n').map(line => JSON.parse(line) as T)
}

function keyOf(
  kind: FileKind,
  { device, number }: SegmentHead,
  salt: Uint8Array,
  { epochKey }: SegmentKeys,
): Buffer {
  return Buffer.from(hkdfSync('sha256', epochKey, salt, `${kind}|${device}|${number}`, 32))
}

/** Padmé: the length reveals little of the contents, for at most 12 % more bytes. */
function paddedLength(length: number): number {
  const exponent = Math.floor(Math.log2(length))
  const mask = 2 ** (exponent - Math.floor(Math.log2(exponent)) - 1) - 1
  return Math.ceil(length / (mask + 1)) * (mask + 1)
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function wide(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}
