import type { Reply } from '../../contract/api.js'
import { shortNameOf } from '../../lib/text/names.js'
import { shortId } from '../../lib/text/uuid.js'
import { formatShortAge } from '../../lib/time/age.js'
import { type Colors, formatTable } from '../terminal/output.js'
import { clipText, clipWords, displayWidth, plainLine } from '../terminal/text.js'

export type ListedMemory = Reply<'GET /api/memories'>['memories'][number]

/** Columns of list and of a forget preview. */
export type TableRow = Pick<ListedMemory, 'id' | 'content' | 'type' | 'tags' | 'pinned' | 'created_at'> &
  Partial<Pick<ListedMemory, 'project'>>

export interface TableView {
  colors: Colors
  /**
   * Terminal columns; undefined prints tab-separated fields for pipes: id, created_at, type, pinned, tags,
   * content.
   */
  width: number | undefined
  /** Milliseconds since the epoch. */
  now: number
}

const gap = 2
const narrowest = 16
const longestProject = 20

/** Formats memories as a table with a heading; `*` marks a pinned one. Several projects have a column. */
export function memoryTable(rows: readonly TableRow[], { colors, width, now }: TableView): string {
  if (width === undefined) return rows.map(tabbed).join('\n')
  const hasSeveral = new Set(rows.map(({ project }) => project ?? '')).size > 1
  const facts = rows.map(row => [
    shortId(row.id),
    formatShortAge(row.created_at, now),
    row.type + (row.pinned ? '*' : ''),
    ...(hasSeveral ? [projectCell(row.project)] : []),
  ])
  const headings = ['ID', 'AGE', 'TYPE', ...(hasSeveral ? ['PROJECT'] : [])]
  const taken = headings.reduce(
    (sum, heading, column) =>
      sum + gap + Math.max(heading.length, ...facts.map(fact => displayWidth(fact[column]!))),
    0,
  )
  const rest = Math.max(narrowest, width - taken)
  const cells = rows.map((row, index) => [...facts[index]!, clipWords(plainLine(row.content), rest)])
  return formatTable([...headings, 'MEMORY'], cells, colors)
}

function projectCell(project: string | null | undefined): string {
  return project ? clipText(plainLine(shortNameOf(project)), longestProject) : '-'
}

function tabbed(row: TableRow): string {
  const fields = [row.id, row.created_at, row.type, row.pinned, row.tags, row.content]
  return fields.map(field => plainLine(String(field))).join('\t')
}
