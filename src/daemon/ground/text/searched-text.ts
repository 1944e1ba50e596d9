import { chunkType } from '../../../store/tables/memory/memory-filter.js'

/**
 * The text a memory is searched and embedded by. Chunks of documents mean little without their headings, so
 * these hints come before their text. Hints of other memories are a separate channel.
 */
export function searchedText(
  { type, content }: { type: string; content: string },
  hints: readonly string[],
): string {
  return type === chunkType ? [...hints, content].join('\n') : content
}
