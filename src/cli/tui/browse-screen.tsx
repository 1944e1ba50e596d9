import { Box, type Key, Text, useApp, useInput } from 'ink'
import { useEffect, useReducer } from 'react'
import { countOf } from '../../lib/text/count-of.js'
import { plainLine, wrapText } from '../terminal/text.js'
import type { BrowseApi } from './browse-api.js'
import { useSearch, useTask } from './browse-effects.js'
import { browseAction, type View } from './browse-keys.js'
import { BrowseList, ReadPane } from './browse-panes.js'
import { BrowsePrompt } from './browse-prompt.js'
import { type BrowseAction, type BrowseState, reduceBrowse, startBrowse } from './browse-state.js'
import { tailOf, tint } from './drawing.js'
import { keyPresses } from './forget-keys.js'
import { useScreenSize } from './screen-size.js'

export interface BrowseScreenProps {
  api: BrowseApi
  query: string
  /** False draws without colour; bold and inverse stay. */
  color: boolean
  /** Milliseconds since the epoch. */
  now: number
}

/** Rows that are not the list or the text: search line, filters, gaps, details, prompt, notice, keys. */
const listChrome = 13
const readChrome = 9

/**
 * Search as you type, filter, read, pin, tag, supersede and forget memories. Every change is confirmed by the daemon
 * before the list shows it, and what goes wrong is said in place.
 */
export function BrowseScreen({ api, query, color, now }: BrowseScreenProps) {
  const [state, dispatch] = useReducer(reduceInput, query, startBrowse)
  const { exit } = useApp()
  const { columns, rows } = useScreenSize()
  const width = Math.min(columns, 120)
  const listRows = Math.max(3, rows - listChrome)
  const readRows = Math.max(3, rows - readChrome)
  const selected = state.rows[state.cursor]
  const text = selected ? wrapText(plainLine(selected.content), width) : []
  const maxScroll = Math.max(0, text.length - readRows)
  const pageRows = state.step === 'read' ? readRows : listRows

  useInput((input, key) => dispatch({ input, key, view: { pageRows, maxScroll } }))
  useSearch(api, state, dispatch)
  useTask(api, state, dispatch)
  useEffect(() => {
    if (state.step === 'left') exit()
  }, [state.step, exit])

  if (state.step === 'left') return null
  return (
    <Box flexDirection="column" width={width}>
      <SearchLine state={state} width={width} color={color} />
      <FilterLine state={state} color={color} />
      {state.step === 'read' && selected ? (
        <ReadPane
          row={selected}
          text={text}
          scroll={Math.min(state.scroll, maxScroll)}
          rows={readRows}
          color={color}
          now={now}
        />
      ) : (
        <BrowseList state={state} rows={listRows} width={width} color={color} now={now} />
      )}
      <BrowsePrompt state={state} width={width} color={color} />
      <Text {...tint(color, state.notice.fault ? 'red' : 'yellow')} wrap="truncate">
        {state.task ? 'Working …' : plainLine(state.notice.text) || ' '}
      </Text>
      <Text dimColor wrap="truncate">
        {keysOf(state)}
      </Text>
    </Box>
  )
}

type Input = BrowseAction | { input: string; key: Key; view: View }

/**
 * Each key is handled with the state at that moment. Keys typed ahead of a new step are dropped, so that a pasted text
 * cannot confirm anything.
 */
function reduceInput(state: BrowseState, input: Input): BrowseState {
  if ('do' in input) return reduceBrowse(state, input)
  let next = state
  for (const press of keyPresses(input.input, input.key)) {
    const action = browseAction(next, press.input, press.key, input.view)
    if (action) next = reduceBrowse(next, action)
    if (next.step !== state.step) break
  }
  return next
}

function SearchLine({ state, width, color }: { state: BrowseState; width: number; color: boolean }) {
  const { step, query, rows, loading } = state
  const count = loading ? 'searching …' : countOf(rows.length, 'memory', 'memories')
  const typing = step === 'search'
  return (
    <Box justifyContent="space-between">
      <Text wrap="truncate">
        <Text bold={typing}>Search: </Text>
        <Text {...tint(color, 'cyan')}>{tailOf(query, width - 30)}</Text>
        {typing && <Text inverse> </Text>}
      </Text>
      <Text dimColor>{count}</Text>
    </Box>
  )
}

function FilterLine({ state, color }: { state: BrowseState; color: boolean }) {
  const { type, tag, pinned } = state.filter
  const parts = [
    `f type ${type ?? 'any'}`,
    `# tag ${tag ? plainLine(tag) : 'any'}`,
    `o ${pinned ? 'pinned only' : 'pinned or not'}`,
  ]
  const active = type !== undefined || tag !== undefined || pinned
  return (
    <Text {...(active ? tint(color, 'green') : {})} dimColor={!active} wrap="truncate">
      {parts.join(' · ')}
    </Text>
  )
}

function keysOf({ step, intent }: BrowseState): string {
  if (step === 'list' && intent) return 'enter replaces by this one · ↑↓ move · / search · esc cancel'
  return keys[step]
}

const keys = {
  search: 'type to search · ↑↓ move · enter go to the list · esc clear or quit',
  list: 'enter read · / search · p pin · t tags · s supersede · d forget · q quit',
  read: '↑↓ scroll · p pin · t tags · s supersede · d forget · esc back · q quit',
  tag: 'enter filter by this tag, empty for any · esc back',
  tags: 'tags with commas between · enter save · ctrl-u clear · esc back',
  reason: 'enter go on · esc cancel',
  confirm: 'y yes · n back',
  left: '',
} as const
