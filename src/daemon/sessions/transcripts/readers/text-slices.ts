import type { FileHandle } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { openForeign } from '../../../../lib/files/open-foreign.js'

const pieceBytes = 256 * 1024
const pieceLength = 256 * 1024

/** Streams the text of a file; bytes that are not UTF-8 become U+FFFD. Closes the handle. */
export async function* readFileSlices(file: string | FileHandle): AsyncGenerator<string> {
  const handle = typeof file === 'string' ? await openForeign(file) : file
  const decoder = new StringDecoder('utf8')
  try {
    const buffer = Buffer.allocUnsafe(pieceBytes)
    for (let position = 0; ; ) {
      const { bytesRead } = await handle.read(buffer, 0, pieceBytes, position)
      if (bytesRead === 0) break
      position += bytesRead
      yield decoder.write(buffer.subarray(0, bytesRead))
    }
    yield decoder.end()
  } finally {
    await handle.close()
  }
}

/** Splits a text in memory. */
export async function* stringSlices(text: string): AsyncGenerator<string> {
  for (let from = 0; from < text.length; from += pieceLength) yield text.slice(from, from + pieceLength)
}

/** The beginning of a file, enough to detect its format. */
export async function headOf(handle: FileHandle): Promise<string> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(pieceBytes), 0, pieceBytes, 0)
  return buffer.toString('utf8', 0, bytesRead)
}
