/**
 * Relation of a capture to the stored messages of its session: the same, a continuation, or another
 * conversation.
 */
export type Continuation = { kind: 'same' } | { kind: 'extends'; from: number } | { kind: 'replaces' }

/** Fewer common messages may be chance, unless they are all that is stored. */
const minCommon = 4

/**
 * Compares two conversations by message fingerprints. One that begins with the stored end continues it, and
 * messages from `from` on are new. One that is contained in the stored messages is the same. Linear.
 */
export function continuationOf(stored: readonly string[], incoming: readonly string[]): Continuation {
  const { length } = overlapOf(stored, incoming)
  if (length === incoming.length) return { kind: 'same' }
  return length > 0 && (length === stored.length || length >= minCommon)
    ? { kind: 'extends', from: length }
    : { kind: 'replaces' }
}

/**
 * Finds the overlap of `incoming` with `stored`: `length` of its items match from `at` on. Either all of them
 * match at their first occurrence, or as many as the end of `stored` contains; 0 without an overlap. Linear.
 */
export function overlapOf(
  stored: readonly string[],
  incoming: readonly string[],
): { at: number; length: number } {
  const borders = prefixFunction(incoming)
  let length = 0
  for (const [place, item] of stored.entries()) {
    while (length > 0 && incoming[length] !== item) length = borders[length - 1] as number
    if (incoming[length] === item) length++
    if (length > 0 && length === incoming.length) return { at: place + 1 - length, length }
  }
  return { at: stored.length - length, length }
}

/** Knuth, Morris and Pratt: for each position, the length of the longest proper prefix that ends there. */
function prefixFunction(items: readonly string[]): Int32Array {
  const borders = new Int32Array(items.length)
  for (let at = 1, length = 0; at < items.length; at++) {
    while (length > 0 && items[at] !== items[length]) length = borders[length - 1] as number
    if (items[at] === items[length]) length++
    borders[at] = length
  }
  return borders
}
