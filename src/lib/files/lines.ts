const newline = 10

/** Longest line that is read: two of the longest texts a memory may have, with room for escapes. */
export const maxLineBytes = 128 * 1024 * 1024

export interface Line {
  /** Counted from 1. */
  number: number
  text: string
}

/** A stream that is not lines of UTF-8 text. */
export class LineFault extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message)
    this.name = 'LineFault'
  }
}

/**
 * The lines of a stream as they come, without their ends; empty ones are left out, and counted.
 * @throws LineFault for a line that is longer than `maxBytes` or not UTF-8.
 */
export async function* readLines(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let pieces: Buffer[] = []
  let bytes = 0
  let number = 1
  for await (const chunk of source) {
    let from = 0
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      const text = decode([...pieces, chunk.subarray(from, at)], number, maxBytes)
      if (text !== '') yield { number, text }
      from = at + 1
      pieces = []
      bytes = 0
      number++
    }
    if (from === chunk.length) continue
    pieces.push(chunk.subarray(from))
    bytes += chunk.length - from
    if (bytes > maxBytes) throw tooLong(number, maxBytes)
  }
  const rest = decode(pieces, number, maxBytes)
  if (rest !== '') yield { number, text: rest }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function decode(pieces: readonly Buffer[], number: number, maxBytes: number): string {
  const line = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
  if (line.length > maxBytes) throw tooLong(number, maxBytes)
  try {
    return decoder.decode(line).trim()
  } catch {
    throw new LineFault(number, 'is not UTF-8 text')
  }
}

function tooLong(number: number, maxBytes: number): LineFault {
  return new LineFault(number, `is longer than ${maxBytes} bytes`)
}
