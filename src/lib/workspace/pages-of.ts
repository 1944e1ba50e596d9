import { setImmediate as nextTurn } from 'node:timers/promises'

/** Options for reading a table page by page. */
export interface PageOptions<Row, Place> {
  /** Key after which the first page begins. */
  from: Place
  /** Rows per page; a shorter page is the last. */
  limit: number
  read(after: NoInfer<Place>, limit: number): Promise<readonly Row[]>
  placeOf(row: NoInfer<Row>): NoInfer<Place>
}

/** Yields the rows of a table page by page, with a turn of the event loop between pages. */
export async function* pagesOf<Row, Place>({
  from,
  limit,
  read,
  placeOf,
}: PageOptions<Row, Place>): AsyncGenerator<readonly Row[], void> {
  for (let place = from; ; ) {
    const page = await read(place, limit)
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < limit) return
    place = placeOf(last)
    await nextTurn()
  }
}

/** Returns the page key of rows with ids. */
export const byId = ({ id }: { id: string }): string => id
