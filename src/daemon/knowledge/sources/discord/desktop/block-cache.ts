import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { everyFewMs } from '../../../../../lib/concurrency/every-few-ms.js'
import { addressIn, type CacheEntry, encodingIn, maxOutputLength } from './cache-entry.js'

/** Of the "block file" cache of Chromium: `data_0` to `data_3` in blocks, larger bodies in files of their own. */
const fileMagic = 0xc104cac3
const fileHeaderBytes = 8192
const entryBytes = 256
const keyAt = 96
/** An entry takes at most four blocks; longer keys stand elsewhere, and none of ours is as long. */
const mostKeyBytes = 4 * entryBytes - keyAt
const blockBytes: Readonly<Record<number, number>> = { 1: 36, 2: 256, 3: 1024, 4: 4096 }

/** Whether a file of blocks holds entries: others of that cache hold bodies. */
export function isEntryFile(file: Buffer): boolean {
  return (
    file.length > fileHeaderBytes && file.readUInt32LE(0) === fileMagic && file.readInt32LE(12) === entryBytes
  )
}

/** The replies of Discord that a file of entries names. Bodies are read from the files beside it. */
export async function* blockEntries(folder: string, file: Buffer): AsyncGenerator<CacheEntry> {
  const breathe = everyFewMs()
  const files = new Map<string, Promise<Buffer>>()
  for (let at = fileHeaderBytes; at + entryBytes <= file.length; at += entryBytes) {
    await breathe()
    const url = addressAt(file, at)
    if (!url) continue
    const headers = await dataAt(folder, files, file.readUInt32LE(at + 56), file.readInt32LE(at + 40))
    const body = await dataAt(folder, files, file.readUInt32LE(at + 60), file.readInt32LE(at + 44))
    if (body) yield { url, body, encoding: headers ? encodingIn(headers) : '' }
  }
}

function addressAt(file: Buffer, at: number): string | undefined {
  const length = file.readInt32LE(at + 32)
  if (length < 1 || length > mostKeyBytes || file.readUInt32LE(at + 36) !== 0) return undefined
  return addressIn(file.toString('latin1', at + keyAt, Math.min(at + keyAt + length, file.length)))
}

/** What lies at an address of the cache; undefined where it is not there (any more). */
async function dataAt(
  folder: string,
  files: Map<string, Promise<Buffer>>,
  address: number,
  size: number,
): Promise<Buffer | undefined> {
  const isSet = address >>> 31 === 1
  if (!isSet || size <= 0 || size > maxOutputLength) return undefined
  const kind = (address >>> 28) & 7
  const block = blockBytes[kind]
  const name =
    kind === 0
      ? `f_${(address & 0x0fffffff).toString(16).padStart(6, '0')}`
      : `data_${(address >>> 16) & 0xff}`
  if (kind !== 0 && block === undefined) return undefined
  const start = block === undefined ? 0 : fileHeaderBytes + (address & 0xffff) * block
  // Files of blocks are read once; those of one body are read when they are met.
  const read = files.get(name) ?? readFile(join(folder, name))
  if (block !== undefined) files.set(name, read)
  const bytes = await read.catch(() => undefined)
  return bytes && start + size <= bytes.length ? bytes.subarray(start, start + size) : undefined
}
