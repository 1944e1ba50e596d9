import { readvSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { isMainThread } from 'node:worker_threads'
import { crc32, deflateRaw, inflateRaw } from 'node:zlib'
import { renamePatiently } from '../../../lib/files/patient-rename.js'

const product = 'MEMIDX'
const magic = Buffer.from(`${product}07`, 'latin1')
/** The previous version is uncompressed, without a stored length in headers; reading it avoids a rebuild. */
const plainMagic = Buffer.from(`${product}06`, 'latin1')
const headerBytes = 28
const plainHeaderBytes = 24
/** The last bytes of a header are its own checksum. */
const checksumBytes = 4
const maxFrameBytes = 2 ** 28

/**
 * Identifies a part of a snapshot file: its kind, its number within the kind, and the number of its first
 * element.
 */
export interface FrameName {
  kind: number
  which: number
  from: number
}

/** A part of a snapshot file with its bytes. */
export interface Frame extends FrameName {
  payload: Uint8Array
  /**
   * True for repetitive numbers or ids. Words are never compressed, so that they stay readable in the file.
   */
  isRepetitive?: boolean
}

/** Allocates the target of a part's bytes before they are read. */
export type PayloadAllocator = (name: FrameName, bytes: number) => Uint8Array

/** An open file, or similar, read from its beginning. */
export interface ByteSource {
  readv(buffers: Uint8Array[]): Promise<{ bytesRead: number }>
}

/** Frames inflated in other threads ahead of the one being returned. */
const mostAhead = 3

/** The last frame of every file; without it the file was truncated. */
const endKind = 0

/**
 * The snapshot is unusable, so the index must be rebuilt: it is missing, unreadable, damaged, or from another
 * version, schema, analysis or embedding model.
 */
export class SnapshotError extends Error {
  override name = 'SnapshotError'

  constructor(
    readonly reason: 'missing' | 'unreadable' | 'damaged' | 'incompatible',
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
  }
}

export const damaged = (what: string) => new SnapshotError('damaged', `the snapshot is damaged: ${what}`)

/**
 * Writes frames to a file atomically and syncs it.
 * @returns its size in bytes.
 */
export async function writeFrames(file: string, frames: AsyncIterable<Frame>): Promise<number> {
  const temporary = `${file}.${process.pid}.tmp`
  const handle = await open(temporary, 'w', 0o600)
  try {
    let size = (await handle.write(magic)).bytesWritten
    let number = 0
    for await (const frame of frames) size += await writeFrame(handle, frame, number++)
    const end: Frame = { kind: endKind, which: 0, from: 0, payload: Buffer.alloc(0) }
    size += await writeFrame(handle, end, number)
    await handle.sync()
    await handle.close()
    await renamePatiently(temporary, file)
    return size
  } catch (error) {
    await handle.close().catch(() => {})
    await rm(temporary, { force: true, maxRetries: 5 })
    throw error
  }
}

/** Reads the frames of a file one by one. @throws SnapshotError at the first wrong byte. */
export async function* readFrames(file: string, place: PayloadAllocator): AsyncGenerator<Frame> {
  const handle = await open(file, 'r').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') throw new SnapshotError('missing', `snapshot not found: ${file}`, { cause })
    throw new SnapshotError('unreadable', `the snapshot at ${file} can not be read: ${cause.message}`, {
      cause,
    })
  })
  try {
    yield* framesIn(isMainThread ? handle : readAtOnce(handle), (await handle.stat()).size, place)
  } finally {
    // Waits for a read in progress.
    await handle.close()
  }
}

/** Reads synchronously: this thread has nothing else to do, and an asynchronous read takes twice as long. */
function readAtOnce({ fd }: FileHandle): ByteSource {
  return { readv: async buffers => ({ bytesRead: readvSync(fd, buffers) }) }
}

/**
 * Like `readFrames`, for `size` bytes of an open source. Reads and inflates a few frames ahead of the caller.
 * The first frame is returned before the second is allocated, because `place` may need its content.
 */
export async function* framesIn(
  source: ByteSource,
  size: number,
  place: PayloadAllocator,
): AsyncGenerator<Frame> {
  const start = Buffer.alloc(magic.length)
  await fill(source, [start])
  const header = Buffer.alloc(headerOf(start))
  let left = size - start.length - header.length
  await fill(source, [header])
  const begun: Promise<Frame>[] = []
  for (let number = 0; ; number++) {
    const next = parseHeader(header, number)
    left -= next.stored + (next.kind === endKind ? 0 : header.length)
    if (left < 0) throw damaged('it ends too early')
    if (number === 1) yield* begun.splice(0)
    const payload = next.kind === endKind ? Buffer.alloc(0) : place(next, next.bytes)
    const stored = next.stored === next.bytes ? payload : Buffer.allocUnsafeSlow(next.stored)
    const reading = next.kind === endKind ? undefined : fill(source, [stored, header])
    // Errors surface where the read is awaited; if the caller stops early, they are ignored.
    reading?.catch(() => {})
    while (begun.length > (reading ? mostAhead : 0)) yield await begun.shift()!
    if (!reading) break
    await reading
    const frame = checked(next, { payload, stored, number })
    frame.catch(() => {})
    begun.push(frame)
  }
  if (left > 0) throw damaged('bytes follow its end')
}

interface Header extends FrameName {
  /** Bytes of the payload. */
  bytes: number
  /** Bytes in the file, fewer if compressed. */
  stored: number
  checksum: number
}

/**
 * A header is [kind, which, from, length, length in the file, checksum of the stored bytes, checksum of the
 * header and the frame's number]. Repetitive payloads are compressed if that saves at least a quarter.
 */
async function writeFrame(handle: FileHandle, frame: Frame, number: number): Promise<number> {
  const { kind, which, from, payload, isRepetitive } = frame
  const stored = (isRepetitive && (await deflated(payload))) || payload
  const header = Buffer.alloc(headerBytes)
  for (const [i, value] of [kind, which, from, payload.length, stored.length, crc32(stored)].entries())
    header.writeUInt32LE(value, i * 4)
  header.writeUInt32LE(headerChecksum(header, number), headerBytes - checksumBytes)
  await handle.writev([header, stored])
  return headerBytes + stored.length
}

function headerChecksum(header: Buffer, number: number): number {
  return crc32(header.subarray(0, header.length - checksumBytes), number)
}

function parseHeader(header: Buffer, number: number): Header {
  if (headerChecksum(header, number) !== header.readUInt32LE(header.length - checksumBytes))
    throw damaged(`header of frame ${number}`)
  const isPlain = header.length === plainHeaderBytes
  const [kind, which, from, bytes] = [0, 4, 8, 12].map(at => header.readUInt32LE(at)) as [
    number,
    number,
    number,
    number,
  ]
  const stored = isPlain ? bytes : header.readUInt32LE(16)
  const checksum = header.readUInt32LE(isPlain ? 16 : 20)
  if (bytes > maxFrameBytes || stored > bytes) throw damaged(`frame ${number} claims ${bytes} bytes`)
  return { kind, which, from, bytes, stored, checksum }
}

/** The header size of a file with this beginning. */
function headerOf(start: Buffer): number {
  if (start.equals(magic)) return headerBytes
  if (start.equals(plainMagic)) return plainHeaderBytes
  const what = start.toString('latin1').startsWith(product) ? 'of another version' : 'not a snapshot'
  throw new SnapshotError('incompatible', `the file is ${what}`)
}

interface StoredFrame {
  payload: Uint8Array
  stored: Uint8Array
  number: number
}

/** Returns the frame once its bytes are verified and its payload is in place. */
async function checked(
  { kind, which, from, checksum }: Header,
  { payload, stored, number }: StoredFrame,
): Promise<Frame> {
  if (crc32(stored) !== checksum) throw damaged(`frame ${number}`)
  if (stored !== payload && !(await inflateTo(payload, stored))) throw damaged(`frame ${number}`)
  return { kind, which, from, payload }
}

async function fill(source: ByteSource, buffers: readonly Uint8Array[]): Promise<void> {
  let rest = buffers.filter(({ length }) => length > 0)
  while (rest.length > 0) {
    let { bytesRead } = await source.readv(rest)
    if (bytesRead === 0) throw damaged('it ends too early')
    rest = rest.flatMap(buffer => {
      const read = Math.min(bytesRead, buffer.length)
      bytesRead -= read
      return read < buffer.length ? [buffer.subarray(read)] : []
    })
  }
}

const deflate = promisify(deflateRaw)

const inflate = promisify(inflateRaw)

/** Smaller payloads are not compressed. */
const leastBytes = 1024

/** The fastest level is enough for long runs of equal numbers. */
const level = 1

/** Chunk size of the zlib thread: each chunk costs a turn of the event loop. */
const chunkSize = 256 * 1024

/** Maximum compressed share: inflating costs time at every start. */
const worthwhile = 0.75

/** Compresses in a thread; undefined if that saves less than a quarter. */
async function deflated(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (bytes.length < leastBytes) return undefined
  const small = await deflate(bytes, { level, chunkSize })
  return small.length <= bytes.length * worthwhile ? small : undefined
}

/** Inflates into the target in a thread. @returns false if the length does not match. */
async function inflateTo(place: Uint8Array, small: Uint8Array): Promise<boolean> {
  const maxOutputLength = place.length
  const bytes = await inflate(small, { maxOutputLength, chunkSize: Math.max(maxOutputLength, 64) }).catch(
    () => undefined,
  )
  if (bytes?.length !== place.length) return false
  place.set(bytes)
  return true
}
