import { setImmediate as nextTurn } from 'node:timers/promises'

/** Rows that one step reads; other work gets its turn between two. */
const stepRows = 200

export interface Page {
  limit: number
  offset: number
}

/**
 * A page of what a reader may be told, counted among what they may be told: rows are read some at a time until there is
 * one more than the page needs.
 * @param read the next rows, undefined once there are none. @param tell those of them that the reader may be told, in their order
 */
export async function toldPage<Row, Told>(
  { limit, offset }: Page,
  read: (limit: number) => Promise<readonly Row[] | undefined>,
  tell: (rows: readonly Row[]) => Promise<readonly Told[]>,
): Promise<{ told: Told[]; hasMore: boolean }> {
  const all: Told[] = []
  while (all.length <= offset + limit) {
    const rows = await read(stepRows)
    if (!rows) break
    all.push(...(await tell(rows)))
    await nextTurn()
  }
  return { told: all.slice(offset, offset + limit), hasMore: all.length > offset + limit }
}
