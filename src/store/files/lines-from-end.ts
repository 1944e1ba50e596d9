import { type FileHandle, open } from 'node:fs/promises'

const blockBytes = 64 * 1024
const lineFeed = 10

export interface ReadLimits {
  /** Maximum number of bytes read from the end. */
  maxBytes: number
  /** Longer lines are skipped. */
  maxLineBytes: number
}

/**
 * Yields the lines of a file, last first, reading blocks from its end, so that the cost does not depend on
 * its size. An unfinished last line is included.
 * @returns nothing for a missing file. @throws node's error for an unreadable one.
 */
export async function* linesFromEnd(
  file: string,
  { maxBytes, maxLineBytes }: ReadLimits,
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
  /** Parts of the line whose beginning is not read yet, in file order. */
  let rest: Buffer[] = []
  let restBytes = 0
  for (let end = size; end > first; ) {
    const start = Math.max(first, end - blockBytes)
    const piece = await readBlock(handle, start, end - start)
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
    // Keeps only the length of a line that is too long.
    rest = restBytes > maxLineBytes ? [] : [piece.subarray(0, until), ...rest]
    end = start
  }
  if (first === 0 && restBytes <= maxLineBytes) yield* textOf(rest)
}

function* textOf(pieces: readonly Buffer[]): Generator<string> {
  const text = Buffer.concat(pieces).toString('utf8')
  if (text !== '') yield text
}

/** Returns fewer bytes than `length` when the file was truncated in between. */
async function readBlock(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
