import { chunkType } from '../../../store/tables/memory/memory-filter.js'

/**
 * What a memory is searched by, as words and as a vector. A chunk of a document says little without the headings that
 * it stands under: these are its hint, and come before its text. Of other memories hints are a channel of their own.
 */
export function searchedText(
  { type, content }: { type: string; content: string },
  hints: readonly string[],
): string {
  return type === chunkType ? [...hints, content].join('\n') : content
}
