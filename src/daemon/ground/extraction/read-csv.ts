import Papa from 'papaparse'
import { atOnce } from '../../../lib/concurrency/every-few-ms.js'
import { decodeText } from './decode-text.js'
import type { Reading } from './extraction.js'

/** A table with its first row as header; the delimiter is guessed. */
export function readCsv(bytes: Uint8Array, charset?: string): Reading {
  const { data } = Papa.parse<string[]>(atOnce(decodeText(bytes, charset)), { skipEmptyLines: 'greedy' })
  const [header = [], ...rows] = data.map(cells => cells.map(cellText))
  const lines = [rowOf(header), rowOf(header.map(() => '---')), ...rows.map(rowOf)]
  const markdown = data.length === 0 ? '' : `${lines.join('\n')}\n`
  return { status: 'extracted', format: 'csv', title: null, markdown, marks: [] }
}

const rowOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** A line break or a bar would end the cell. */
function cellText(cell: string): string {
  return cell
    .trim()
    .replace(/\s*[\r\n]\s*/gu, ' ')
    .replaceAll('|', '\\|')
}
