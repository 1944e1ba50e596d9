/** How a capture relates to what is stored of its session: the same, its continuation, or another conversation. */
export type Continuation = { kind: 'same' } | { kind: 'extends'; from: number } | { kind: 'replaces' }

/** Fewer messages in common than these may be chance, unless they are all that is stored. */
const minCommon = 4

/**
 * Compares two conversations by the fingerprints of their messages. One that begins with the end of what is stored
 * continues it: the messages from `from` on are new. One that stands in it already is the same. Linear.
 */
export function continuationOf(stored: readonly string[], incoming: readonly string[]): Continuation {
  const borders = prefixFunction(incoming)
  let matched = 0
  for (const fingerprint of stored) {
    while (matched > 0 && incoming[matched] !== fingerprint) matched = borders[matched - 1] as number
    if (incoming[matched] === fingerprint) matched++
    if (matched === incoming.length) return { kind: 'same' }
  }
  return matched > 0 && (matched === stored.length || matched >= minCommon)
    ? { kind: 'extends', from: matched }
    : { kind: 'replaces' }
}

/** Knuth, Morris and Pratt: for each place the length of the longest proper prefix that ends there. */
function prefixFunction(items: readonly string[]): Int32Array {
  const borders = new Int32Array(items.length)
  for (let at = 1, length = 0; at < items.length; at++) {
    while (length > 0 && items[at] !== items[length]) length = borders[length - 1] as number
    if (items[at] === items[length]) length++
    borders[at] = length
  }
  return borders
}
