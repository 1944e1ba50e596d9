import { type FileHandle, open } from 'node:fs/promises'
import { pieceBytes } from './child-messages.js'
import { headBytes } from './source-format.js'

/** The bytes of a file, or some that are in memory, as pieces of at most 256 KiB. */
export interface OpenBytes {
  size: number
  head: Uint8Array
  pieces(): AsyncGenerator<Uint8Array>
  close(): Promise<void>
}

/** @throws what the file system says when the file cannot be opened; TypeError when it is no file. */
export async function openBytes(from: { path: string } | { bytes: Uint8Array }): Promise<OpenBytes> {
  return 'bytes' in from ? inMemory(from.bytes) : onDisk(await open(from.path))
}

function inMemory(bytes: Uint8Array): OpenBytes {
  return {
    size: bytes.length,
    head: bytes.subarray(0, headBytes),
    async *pieces() {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
    },
    close: async () => undefined,
  }
}

async function onDisk(file: FileHandle): Promise<OpenBytes> {
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new TypeError('it is no file')
    const head = await readAt(file, 0, headBytes)
    return {
      // What is appended while it is read belongs to its next reading.
      size: stat.size,
      head,
      async *pieces() {
        for (let at = 0; at < stat.size; ) {
          const piece = await readAt(file, at, Math.min(pieceBytes, stat.size - at))
          if (piece.length === 0) return
          yield piece
          at += piece.length
        }
      },
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
