/** A range of messages, from an offset in the first to an offset in the last, both in UTF-16 units. */
export interface TranscriptChunk {
  first_position: number
  first_offset: number
  last_position: number
  last_end: number
  text: string
}

/** Target length of a chunk in UTF-16 units. */
export const chunkLength = 1500
/** White space for a cut is searched this far before the limit. */
const cutWithin = 300

/**
 * Splits messages into chunks, keeping messages whole if they fit and cutting long ones at white space.
 * @param offset start within the first message.
 */
export function* chunksOf(
  messages: Iterable<{ position: number; text: string }>,
  offset = 0,
): Generator<TranscriptChunk> {
  let chunk: TranscriptChunk | undefined
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

/**
 * Returns the last white space shortly before `wanted`, or `wanted` itself; never inside a surrogate pair.
 */
function cutBefore(text: string, wanted: number): number {
  for (let at = wanted; at > wanted - cutWithin; at--) if (/\s/u.test(text.charAt(at))) return at
  return /[\uDC00-\uDFFF]/.test(text.charAt(wanted)) ? wanted - 1 : wanted
}

/** Rebuilds the text of a chunk from its messages. */
export function chunkText(
  { first_position, first_offset, last_position, last_end }: Omit<TranscriptChunk, 'text'>,
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
