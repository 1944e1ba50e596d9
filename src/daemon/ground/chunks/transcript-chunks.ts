/** Where a chunk lies: from an offset in one message to an offset in another, both in UTF-16 units. */
export interface Chunk {
  first_position: number
  first_offset: number
  last_position: number
  last_end: number
  text: string
}

/** About as many UTF-16 units stand in a chunk. */
export const chunkLength = 1500
/** How far before that a cut is looked for. */
const cutWithin = 300

/**
 * Cuts messages into chunks of whole messages where they fit, long ones at white space.
 * @param offset where in the first message to begin.
 */
export function* chunksOf(
  messages: Iterable<{ position: number; text: string }>,
  offset = 0,
): Generator<Chunk> {
  let chunk: Chunk | undefined
  let from = offset
  for (const { position, text } of messages) {
    for (const end of cuts(text, from)) {
      const piece = text.slice(from, end)
      if (chunk && chunk.text.length + piece.length + 1 > chunkLength) {
        yield chunk
        chunk = undefined
      }
      chunk = chunk
        ? { ...chunk, last_position: position, last_end: end, text: `${chunk.text}\n${piece}` }
        : {
            first_position: position,
            first_offset: from,
            last_position: position,
            last_end: end,
            text: piece,
          }
      from = end
    }
    from = 0
  }
  if (chunk) yield chunk
}

function* cuts(text: string, from: number): Generator<number> {
  let start = from
  while (text.length - start > chunkLength) {
    start = cutBefore(text, start + chunkLength)
    yield start
  }
  yield text.length
}

/** The last white space a little before `wanted`; without one `wanted` itself, never inside a surrogate pair. */
function cutBefore(text: string, wanted: number): number {
  for (let at = wanted; at > wanted - cutWithin; at--) if (/\s/u.test(text.charAt(at))) return at
  return /[\uDC00-\uDFFF]/.test(text.charAt(wanted)) ? wanted - 1 : wanted
}

/** The text of a chunk, from the messages that it lies in. */
export function chunkText(
  { first_position, first_offset, last_position, last_end }: Omit<Chunk, 'text'>,
  messages: readonly { position: number; text: string }[],
): string {
  return messages
    .filter(({ position }) => position >= first_position && position <= last_position)
    .map(({ position, text }) =>
      text.slice(
        position === first_position ? first_offset : 0,
        position === last_position ? last_end : undefined,
      ),
    )
    .join('\n')
}
