import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Serializes a list to JSON in chunks, for replies too large to be written at once. Other work gets a turn of
 * the event loop after each batch of rows.
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
