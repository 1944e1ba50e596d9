import { setImmediate as nextTurn } from 'node:timers/promises'

/** Rows per step; other work gets a turn between two. */
const stepRows = 200

export interface Page {
  limit: number
  offset: number
}

/**
 * Returns a page of the rows visible to a reader, with limit and offset counted in visible rows: reads in
 * steps until there is one more than the page needs.
 * @param read returns the next rows, undefined at the end
 * @param tell filters the visible ones, in order
 */
export async function visiblePage<Row, Told>(
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
