const newline = 10

/** Longest accepted line: two texts of the maximum length of a memory, with room for escapes. */
export const maxLineBytes = 128 * 1024 * 1024

export interface Line {
  /** Counts from 1. */
  number: number
  text: string
}

/** A line that cannot be read: too long, or not UTF-8. */
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
 * Yields the lines of a stream without their line ends; empty lines are counted but not yielded.
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
