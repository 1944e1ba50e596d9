import { setImmediate as nextTurn } from 'node:timers/promises'

/** How a table is walked. */
export interface PagesToRead<Row, Place> {
  /** The first page begins behind this place. */
  from: Place
  /** Rows of a page; one with fewer is the last. */
  limit: number
  read(after: NoInfer<Place>, limit: number): Promise<readonly Row[]>
  placeOf(row: NoInfer<Row>): NoInfer<Place>
}

/** The rows of a table page by page, with a turn for others between two of them. */
export async function* pagesOf<Row, Place>({
  from,
  limit,
  read,
  placeOf,
}: PagesToRead<Row, Place>): AsyncGenerator<readonly Row[], void> {
  for (let place = from; ; ) {
    const page = await read(place, limit)
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < limit) return
    place = placeOf(last)
    await nextTurn()
  }
}

/** Where a page of rows with ids ends. */
export const byId = ({ id }: { id: string }): string => id
