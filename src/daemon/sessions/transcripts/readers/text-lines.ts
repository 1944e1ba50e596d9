/** Longest line that is read, in UTF-16 units: what one step may parse without holding others up. */
export const maxLineLength = 8 * 1024 * 1024

/**
 * The lines of a text that comes in pieces, exactly as they are but without their ends. One that is longer than
 * `maxLength` is left out, and never whole in memory; the last needs no end.
 */
export async function* textLines(
  pieces: AsyncIterable<string>,
  maxLength = maxLineLength,
): AsyncGenerator<string> {
  let line = ''
  let tooLong = false
  for await (const piece of pieces) {
    let from = 0
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', from)) {
      line += piece.slice(from, at)
      if (!tooLong && line.length <= maxLength) yield line.endsWith('\r') ? line.slice(0, -1) : line
      line = ''
      tooLong = false
      from = at + 1
    }
    line += piece.slice(from)
    if (line.length <= maxLength) continue
    tooLong = true
    line = ''
  }
  if (!tooLong && line !== '') yield line
}
