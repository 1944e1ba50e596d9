interface MarkedProps {
  text: string
  /** In lower case. */
  words: readonly string[]
}

const shortest = 3

/** The words of a query that are worth marking. */
export function wordsOf(query: string): string[] {
  return query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word.length >= shortest && !common.has(word))
}

const common = new Set(
  'the and for are was our who what when where which why how does did with from this that has have not you can all'.split(
    ' ',
  ),
)

/** A text in which the words of a query are marked, at the beginning of a word or as a whole. */
export function Marked({ text, words }: MarkedProps) {
  if (words.length === 0) return text
  const parts = text.split(/([\p{L}\p{N}]+)/u)
  return parts.map((part, position) =>
    position % 2 === 1 && words.some(word => part.toLowerCase().startsWith(word)) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move
      <mark key={position}>{part}</mark>
    ) : (
      part
    ),
  )
}
