import { type Colors, formatTable } from '../terminal/output.js'
import { clipText, plainLine } from '../terminal/text.js'

/** How a list is drawn: `width` columns on a terminal; without it tab-separated fields for pipes. */
export interface ListView {
  colors: Colors
  width: number | undefined
}

/** Columns of a description that are worth a line. */
const leastDescription = 20

/** Rows as a table with a description last, cut to the terminal. */
export function describedTable(
  headings: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
  { colors, width }: ListView,
): string {
  const plain = rows.map(row => row.map(plainLine))
  if (width === undefined) return plain.map(row => row.join('\t')).join('\n')
  const others = plain.map(row => row.slice(0, -1).map(cell => clipText(cell, 40)))
  const used = headings
    .slice(0, -1)
    .map((heading, column) => Math.max(heading.length, ...others.map(row => row[column]!.length)) + 2)
    .reduce((sum, columns) => sum + columns, 0)
  const left = Math.max(leastDescription, width - used)
  const cut = others.map((cells, row) => [...cells, clipText(plain[row]!.at(-1)!, left)])
  return formatTable(headings, cut, colors)
}
