import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { type ByteSource, EndOfFile, ReadAhead } from './read-ahead.js'

const magic = Buffer.from('MEMIDX01', 'latin1')
const headerBytes = 16
const maxFrameBytes = 2 ** 28

/** A part of a snapshot file: what it holds, and its bytes. */
export interface Frame {
  kind: number
  payload: Buffer
}

/** The last frame of every file; without it the file was cut off. */
const endKind = 0

/**
 * The snapshot can't be used and the index has to be rebuilt: there is none, a byte of it is wrong or lacking, or
 * another version, analysis or embedding model wrote it.
 */
export class SnapshotError extends Error {
  override name = 'SnapshotError'

  constructor(
    readonly reason: 'missing' | 'damaged' | 'incompatible',
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
  }
}

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
    size += await writeFrame(handle, { kind: endKind, payload: Buffer.alloc(0) }, number)
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
export async function* readFrames(file: string): AsyncGenerator<Frame> {
  const handle = await open(file, 'r').catch(cause => {
    throw new SnapshotError('missing', `there is no readable snapshot at ${file}`, { cause })
  })
  try {
    yield* framesIn(handle, (await handle.stat()).size)
  } finally {
    await handle.close()
  }
}

/** As `readFrames`, from `size` bytes that are open already. */
export async function* framesIn(source: ByteSource, size: number): AsyncGenerator<Frame> {
  const reader = new ReadAhead(source, size)
  try {
    const start = await reader.take(magic.length)
    if (!start.equals(magic)) throw new SnapshotError('incompatible', 'this is no snapshot of this format')
    for (let number = 0; ; number++) {
      const frame = await readFrame(reader, number)
      if (frame.kind === endKind) break
      yield frame
    }
    if (!(await reader.isAtEnd())) throw damaged('bytes follow its end')
  } catch (error) {
    throw error instanceof EndOfFile ? damaged('it ends too early') : error
  }
}

export const damaged = (what: string) => new SnapshotError('damaged', `the snapshot is damaged: ${what}`)

/** A header is [kind, length, checksum of the payload, checksum of the header and the frame's number]. */
async function writeFrame(handle: FileHandle, { kind, payload }: Frame, number: number): Promise<number> {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32LE(kind, 0)
  header.writeUInt32LE(payload.length, 4)
  header.writeUInt32LE(crc32(payload), 8)
  header.writeUInt32LE(crc32(header.subarray(0, 12), number), 12)
  await handle.writev([header, payload])
  return headerBytes + payload.length
}

async function readFrame(reader: ReadAhead, number: number): Promise<Frame> {
  const header = await reader.take(headerBytes)
  if (crc32(header.subarray(0, 12), number) !== header.readUInt32LE(12))
    throw damaged(`header of frame ${number}`)
  const length = header.readUInt32LE(4)
  if (length > maxFrameBytes) throw damaged(`frame ${number} claims ${length} bytes`)
  const payload = await reader.take(length)
  if (crc32(payload) !== header.readUInt32LE(8)) throw damaged(`frame ${number}`)
  return { kind: header.readUInt32LE(0), payload }
}
