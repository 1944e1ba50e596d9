/** Share of common words from which two texts count as alike. */
const fewestCommon = 0.85

/**
 * Returns whether two texts say the same: they have nearly all words in common, and the same numbers. Order,
 * case and punctuation do not count.
 */
export function isAlike(one: string, other: string): boolean {
  const [a, b] = [wordsOf(one), wordsOf(other)]
  const numbers = (words: ReadonlySet<string>) => [...words].filter(word => /\p{N}/u.test(word))
  if (numbers(a).length !== numbers(b).length || !numbers(a).every(number => b.has(number))) return false
  const common = [...a].filter(word => b.has(word)).length
  return common > 0 && common / (a.size + b.size - common) >= fewestCommon
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])
}
