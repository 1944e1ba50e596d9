import { Box, Text } from 'ink'
import { labelOf } from '../../../lib/text/labels.js'
import { shortNameOf } from '../../../lib/text/names.js'
import { shortId } from '../../../lib/text/uuid.js'
import { formatAge, formatShortAge } from '../../../lib/time/age.js'
import { displayWidth, firstLines, padText, plainLine } from '../../terminal/text.js'
import { Column, tint } from '../screen.js'
import { keyList } from './keys.js'
import type { BrowseRow, BrowseState } from './state.js'

const detailLines = 3

interface BrowseListProps {
  state: BrowseState
  rows: number
  /** `compact` has two rows of details; `list` has none. */
  layout: 'full' | 'compact' | 'list'
  width: number
  color: boolean
  now: number
}

/** Shows the found memories around the cursor, and the start of the current one. */
export function BrowseList({ state, rows, layout, width, color, now }: BrowseListProps) {
  const { cursor, intent } = state
  const from = Math.max(0, Math.min(cursor - Math.floor(rows / 2), state.rows.length - rows))
  const shown = state.rows.slice(from, from + rows)
  const below = state.rows.length - from - shown.length
  const isFull = layout === 'full'
  return (
    <Box flexDirection="column" marginTop={isFull ? 1 : 0}>
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
      {isFull && <Text dimColor>{state.rows.length > rows ? `  ${from} above, ${below} below` : ' '}</Text>}
      {layout !== 'list' && (
        <Detail row={state.rows[cursor]} width={width} lines={isFull ? detailLines : 1} />
      )}
    </Box>
  )
}

function nothingFound({ query, filter, notice }: BrowseState): string {
  if (notice.fault) return 'Nothing to show.'
  if (query.trim() !== '') return 'No matches. Esc in the search line clears it.'
  const { type, tag, project, pinned, forgotten } = filter
  const isPart = project !== undefined && project !== '*'
  const isNarrowed = type !== undefined || tag !== undefined || isPart || pinned
  if (forgotten && !isNarrowed) return 'No forgotten memories. v shows the others.'
  return isNarrowed ? 'No memories match the filters.' : 'No memories yet. Next: memory remember "..."'
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
  const tail = ` ${labelOf('memoryType', row.type)} ${formatShortAge(row.created_at, now)}`
  const content = padText(plainLine(row.content), Math.max(10, width - head.length - displayWidth(tail)))
  return (
    <Text bold={here} wrap="truncate">
      <Text {...(row.pinned ? tint(color, 'yellow') : {})}>{head}</Text>
      {content}
      <Text dimColor>{tail}</Text>
    </Text>
  )
}

function Detail({ row, width, lines }: { row: BrowseRow | undefined; width: number; lines: number }) {
  const shown = row ? firstLines(plainLine(row.content), width, lines) : []
  return (
    <Box flexDirection="column" height={lines + 1}>
      <Text>{shown.join('\n') || ' '}</Text>
      <Text dimColor wrap="truncate">
        {row ? factsOf(row).join(' · ') : ''}
      </Text>
    </Box>
  )
}

/** Shows all keys in two columns. */
export function KeysPane({ width, color }: { width: number; color: boolean }) {
  const half = Math.ceil(keyList.length / 2)
  const columns = [keyList.slice(0, half), keyList.slice(half)]
  return (
    <Column width={width}>
      <Text bold>Keys</Text>
      <Box>
        {columns.map(column => (
          <Box key={column[0]![0]} flexDirection="column" width={Math.floor(width / 2)}>
            {column.map(([name, effect]) => (
              <Text key={name} wrap="truncate">
                <Text {...tint(color, 'cyan')}>{padText(name, 8)}</Text>
                {effect}
              </Text>
            ))}
          </Box>
        ))}
      </Box>
      <Text dimColor>any key back · q quit</Text>
    </Column>
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
  /** Without a gap above. */
  compact: boolean
  now: number
}

/** Shows one memory with scrolling. */
export function ReadPane({ row, text, scroll, rows, color, compact, now }: ReadPaneProps) {
  const shown = text.slice(scroll, scroll + rows)
  const position =
    text.length > rows ? `lines ${scroll + 1} to ${scroll + shown.length} of ${text.length}` : ''
  return (
    <Box flexDirection="column" marginTop={compact ? 0 : 1}>
      <Text wrap="truncate">
        <Text bold {...tint(color, 'cyan')}>
          {labelOf('memoryType', row.type)}
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
  return [shortId(row.id), tags, project, `importance ${row.importance.toFixed(2)}`].filter(
    Boolean,
  ) as string[]
}
