import { type FileHandle, open } from 'node:fs/promises'

const pieceBytes = 64 * 1024
const lineFeed = 10

export interface Bounds {
  /** So many bytes from the end are looked at, at most. */
  maxBytes: number
  /** Longer lines are left out. */
  maxLineBytes: number
}

/**
 * The whole lines of a file, last first, read in pieces from its end: a file of any size costs what is asked for. What
 * follows the last line feed is a line that was not finished, and is given as well.
 * @returns nothing for a file that is not there. @throws node's error for one that can't be read.
 */
export async function* linesFromEnd(
  file: string,
  { maxBytes, maxLineBytes }: Bounds,
): AsyncGenerator<string, void> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!handle) return
  try {
    const { size } = await handle.stat()
    yield* linesBefore(handle, size, Math.max(0, size - maxBytes), maxLineBytes)
  } finally {
    await handle.close()
  }
}

async function* linesBefore(
  handle: FileHandle,
  size: number,
  first: number,
  maxLineBytes: number,
): AsyncGenerator<string, void> {
  /** Pieces of the line whose beginning is not read yet, in the order of the file. */
  let rest: Buffer[] = []
  let restBytes = 0
  for (let end = size; end > first; ) {
    const start = Math.max(first, end - pieceBytes)
    const piece = await readPiece(handle, start, end - start)
    let until = piece.length
    for (
      let at = piece.lastIndexOf(lineFeed);
      at >= 0;
      at = at === 0 ? -1 : piece.lastIndexOf(lineFeed, at - 1)
    ) {
      const line = [piece.subarray(at + 1, until), ...rest]
      if (until - at - 1 + restBytes <= maxLineBytes) yield* textOf(line)
      rest = []
      restBytes = 0
      until = at
    }
    restBytes += until
    // Of a line that is too long nothing is kept but how long it is.
    rest = restBytes > maxLineBytes ? [] : [piece.subarray(0, until), ...rest]
    end = start
  }
  if (first === 0 && restBytes <= maxLineBytes) yield* textOf(rest)
}

function* textOf(pieces: readonly Buffer[]): Generator<string> {
  const text = Buffer.concat(pieces).toString('utf8')
  if (text !== '') yield text
}

/** Less than `length` when the file became shorter meanwhile. */
async function readPiece(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
