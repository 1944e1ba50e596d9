import { readvSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { isMainThread } from 'node:worker_threads'
import { crc32, deflateRaw, inflateRaw } from 'node:zlib'

const product = 'MEMIDX'
const magic = Buffer.from(`${product}07`, 'latin1')
/** The version before deflates nothing, and its headers have no length in the file: reading it spares a new start. */
const plainMagic = Buffer.from(`${product}06`, 'latin1')
const headerBytes = 28
const plainHeaderBytes = 24
/** Bytes of the header's own checksum, its last. */
const checksumBytes = 4
const maxFrameBytes = 2 ** 28

/** What a part of a snapshot file holds: its kind, which one of its kind, and the number of its first element. */
export interface FrameName {
  kind: number
  which: number
  from: number
}

/** A part of a snapshot file and its bytes. */
export interface Frame extends FrameName {
  payload: Uint8Array
  /** Whether it is numbers or ids of which much is the same, and no word: those stay to be read in the file as they are. */
  isRepetitive?: boolean
}

/** Says where the bytes of a part go, before they are read. */
export type Place = (name: FrameName, bytes: number) => Uint8Array

/** An open file, or something that reads like one, from its beginning on. */
export interface ByteSource {
  readv(buffers: Uint8Array[]): Promise<{ bytesRead: number }>
}

/** Frames that are inflated, in other threads, behind the one that is handed out. */
const mostAhead = 3

/** The last frame of every file; without it the file was cut off. */
const endKind = 0

/**
 * The snapshot can't be used and the index has to be rebuilt: there is none, the disk does not give it, a byte of it is
 * wrong or lacking, or another version, schema, analysis or embedding model wrote it.
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
 * Writes frames to a file that appears complete and on disk or not at all.
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
    await rename(temporary, file)
    return size
  } catch (error) {
    await handle.close().catch(() => {})
    await rm(temporary, { force: true })
    throw error
  }
}

/** Reads the frames of a file one by one. @throws SnapshotError at the first byte that is not as it was written. */
export async function* readFrames(file: string, place: Place): AsyncGenerator<Frame> {
  const handle = await open(file, 'r').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT')
      throw new SnapshotError('missing', `there is no snapshot at ${file}`, { cause })
    throw new SnapshotError('unreadable', `the snapshot at ${file} can not be read: ${cause.message}`, {
      cause,
    })
  })
  try {
    yield* framesIn(isMainThread ? handle : readAtOnce(handle), (await handle.stat()).size, place)
  } finally {
    // Waits for a read that is under way.
    await handle.close()
  }
}

/** A thread that has nothing else to do reads by itself: to have another one do it, and be told, takes as long again. */
function readAtOnce({ fd }: FileHandle): ByteSource {
  return { readv: async buffers => ({ bytesRead: readvSync(fd, buffers) }) }
}

/**
 * As `readFrames`, from `size` bytes that are open already. Further frames are read, and a few inflated, while the caller
 * works on this one; only the first, which may tell `place` what to expect, is handed out before the second is placed.
 */
export async function* framesIn(source: ByteSource, size: number, place: Place): AsyncGenerator<Frame> {
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
    // A failure is told where it is awaited, or is nobody's when the caller has had enough.
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
  /** Bytes of it in the file: fewer where they are deflated. */
  stored: number
  checksum: number
}

/**
 * A header is [kind, which, from, length, length in the file, checksum of what stands there, checksum of the header and
 * the frame's number]. Of the numbers of an index many are the same in nearly all rows: what deflating makes smaller by
 * a quarter is written so.
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

/** Bytes of each header in a file that begins so. */
function headerOf(start: Buffer): number {
  if (start.equals(magic)) return headerBytes
  if (start.equals(plainMagic)) return plainHeaderBytes
  const what = start.toString('latin1').startsWith(product) ? 'of another version' : 'not a snapshot'
  throw new SnapshotError('incompatible', `the file is ${what}`)
}

interface Read {
  payload: Uint8Array
  stored: Uint8Array
  number: number
}

/** The frame, once its bytes are as they were written and its payload is in its place. */
async function checked(
  { kind, which, from, checksum }: Header,
  { payload, stored, number }: Read,
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

/** Less is not worth a look. */
const leastBytes = 1024

/** The cheapest: what it makes small are long runs of the same numbers. */
const level = 1

/** What is handed from the thread that deflates to this one at a time: each time costs a turn of the event loop. */
const chunkSize = 256 * 1024

/** Share of the bytes that may be left: inflating takes time at every start. */
const worthwhile = 0.75

/** The bytes deflated, in a thread; undefined where that does not make them fewer by a quarter. */
async function deflated(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (bytes.length < leastBytes) return undefined
  const small = await deflate(bytes, { level, chunkSize })
  return small.length <= bytes.length * worthwhile ? small : undefined
}

/** Inflates to where the bytes belong, in a thread. @returns false when they are not as many as have room there. */
async function inflateTo(place: Uint8Array, small: Uint8Array): Promise<boolean> {
  const maxOutputLength = place.length
  const bytes = await inflate(small, { maxOutputLength, chunkSize: Math.max(maxOutputLength, 64) }).catch(
    () => undefined,
  )
  if (bytes?.length !== place.length) return false
  place.set(bytes)
  return true
}
