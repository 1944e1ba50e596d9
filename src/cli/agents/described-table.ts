import { type Colors, formatTable } from '../terminal/output.js'
import { clipText, plainLine } from '../terminal/text.js'

/** `width` is the number of terminal columns; without it a list has tab-separated fields for pipes. */
export interface ListView {
  colors: Colors
  width: number | undefined
}

/** A description narrower than this is not worth showing. */
const minDescriptionWidth = 20

/** Formats rows as a table with the description last, cut to the terminal width. */
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
  const left = Math.max(minDescriptionWidth, width - used)
  const cut = others.map((cells, row) => [...cells, clipText(plain[row]!.at(-1)!, left)])
  return formatTable(headings, cut, colors)
}
