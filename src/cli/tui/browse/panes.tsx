import { Box, Text } from 'ink'
import { shortNameOf } from '../../../lib/text/project-name.js'
import { formatAge, formatShortAge } from '../../../lib/time/age.js'
import { clipText, displayWidth, padText, plainLine, wrapText } from '../../terminal/text.js'
import { tint } from '../screen.js'
import type { BrowseRow, BrowseState } from './state.js'

const detailLines = 3

interface BrowseListProps {
  state: BrowseState
  rows: number
  width: number
  color: boolean
  now: number
}

/** Shows the found memories around the cursor, and the start of the current one. */
export function BrowseList({ state, rows, width, color, now }: BrowseListProps) {
  const { cursor, intent } = state
  const from = Math.max(0, Math.min(cursor - Math.floor(rows / 2), state.rows.length - rows))
  const shown = state.rows.slice(from, from + rows)
  const below = state.rows.length - from - shown.length
  return (
    <Box flexDirection="column" marginTop={1}>
      <Box flexDirection="column" height={rows}>
        {shown.length === 0 && !state.loading && <Text dimColor>{nothingFound(state)}</Text>}
        {shown.map((row, index) => (
          <ListRow
            key={row.id}
            row={row}
            here={from + index === cursor}
            replaced={intent?.row.id === row.id}
            width={width}
            color={color}
            now={now}
          />
        ))}
      </Box>
      <Text dimColor>{state.rows.length > rows ? `  ${from} above, ${below} below` : ' '}</Text>
      <Detail row={state.rows[cursor]} width={width} />
    </Box>
  )
}

function nothingFound({ query, filter, notice }: BrowseState): string {
  if (notice.fault) return 'Nothing to show.'
  if (query.trim() !== '') return 'No matches. Esc in the search line clears it.'
  const narrowed = filter.type !== undefined || filter.tag !== undefined || filter.pinned
  return narrowed ? 'No memories match the filters.' : 'No memories yet. Next: memory remember "..."'
}

interface ListRowProps {
  row: BrowseRow
  here: boolean
  /** True for the memory that is being superseded. */
  replaced: boolean
  width: number
  color: boolean
  now: number
}

function ListRow({ row, here, replaced, width, color, now }: ListRowProps) {
  const head = `${here ? '>' : ' '}${row.pinned ? '*' : ' '}${replaced ? 'x' : ' '} `
  const tail = ` ${row.type} ${formatShortAge(row.created_at, now)}`
  const content = padText(plainLine(row.content), Math.max(10, width - head.length - displayWidth(tail)))
  return (
    <Text bold={here} wrap="truncate">
      <Text {...(row.pinned ? tint(color, 'yellow') : {})}>{head}</Text>
      {content}
      <Text dimColor>{tail}</Text>
    </Text>
  )
}

function Detail({ row, width }: { row: BrowseRow | undefined; width: number }) {
  const lines = row ? wrapText(plainLine(row.content), width) : []
  const shown = lines.slice(0, detailLines)
  if (lines.length > detailLines) shown[detailLines - 1] = clipText(`${shown[detailLines - 1]} …`, width)
  return (
    <Box flexDirection="column" height={detailLines + 1}>
      <Text>{shown.join('\n')}</Text>
      <Text dimColor wrap="truncate">
        {row ? factsOf(row).join(' · ') : ''}
      </Text>
    </Box>
  )
}

interface ReadPaneProps {
  row: BrowseRow
  /** Content wrapped to the screen's width. */
  text: readonly string[]
  /** First visible line. */
  scroll: number
  rows: number
  color: boolean
  now: number
}

/** Shows one memory with scrolling. */
export function ReadPane({ row, text, scroll, rows, color, now }: ReadPaneProps) {
  const shown = text.slice(scroll, scroll + rows)
  const position =
    text.length > rows ? `lines ${scroll + 1} to ${scroll + shown.length} of ${text.length}` : ''
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text wrap="truncate">
        <Text bold {...tint(color, 'cyan')}>
          {row.type}
        </Text>
        {` ${formatAge(row.created_at, now)}`}
        {row.pinned ? <Text {...tint(color, 'yellow')}> pinned</Text> : null}
        <Text dimColor>{` ${[...factsOf(row), position].filter(Boolean).join(' · ')}`}</Text>
      </Text>
      <Box flexDirection="column" height={rows}>
        <Text>{shown.join('\n')}</Text>
      </Box>
    </Box>
  )
}

function factsOf(row: BrowseRow): string[] {
  const tags = row.tags && `#${plainLine(row.tags).split(',').join(' #')}`
  const project = row.project && `project ${plainLine(shortNameOf(row.project))}`
  return [row.id, tags, project, `importance ${row.importance.toFixed(2)}`].filter(Boolean) as string[]
}
