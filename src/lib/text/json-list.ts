import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * A list as JSON in pieces, for a reply that is too large to be written at once: a piece for some rows, with a turn for
 * other work after each.
 */
export async function* jsonList(
  batches: Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>,
): AsyncGenerator<string> {
  let separator = '['
  for await (const rows of batches) {
    if (rows.length === 0) continue
    yield separator + rows.map(row => JSON.stringify(row)).join(',')
    separator = ','
    await nextTurn()
  }
  yield separator === '[' ? '[]' : ']'
}
