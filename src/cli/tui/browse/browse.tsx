import { Box, type Key, render, Text, useApp, useInput } from 'ink'
import { type Dispatch, useEffect, useReducer } from 'react'
import type { call } from '../../../client/call.js'
import { countOf } from '../../../lib/text/count-of.js'
import { labelOf } from '../../../lib/text/labels.js'
import { shortNameOf } from '../../../lib/text/names.js'
import { copyText } from '../../terminal/clipboard.js'
import { clipText, displayWidth, plainLine, wrapText } from '../../terminal/text.js'
import { Column, keyPresses, tailOf, tint, useScreenSize } from '../screen.js'
import { type BrowseApi, createBrowseApi } from './browse-api.js'
import { browseAction, type View } from './keys.js'
import { BrowseList, KeysPane, ReadPane } from './panes.js'
import { type BrowseAction, type BrowseFilter, type BrowseState, reduceBrowse, startBrowse } from './state.js'

interface PartProps {
  state: BrowseState
  width: number
  color: boolean
}

const labels: Readonly<Partial<Record<BrowseState['step'], string>>> = {
  tag: 'Tag',
  project: 'Project',
  tags: 'Tags',
  edit: 'Text',
  reason: 'Reason',
  confirm: 'Reason',
}

/** The search runs once typing pauses for this long. */
export const debounceMs = 120

interface BrowseScreenProps {
  api: BrowseApi
  query: string
  /** Filters that the command line chose. */
  filter?: Partial<BrowseFilter>
  /** False disables colour; bold and inverse remain. */
  color: boolean
  /** Milliseconds since the epoch. */
  now: number
}

/** A screen with fewer rows has no gaps, and shows prompt and details in the same place. */
const compactBelow = 20
/** A narrower filter line has no names for type and tag. */
const narrowBelow = 72
/** Rows outside the list or the text, and a free one: a full screen would flicker. */
const chrome = {
  full: { list: 13, read: 9, prompt: 0 },
  compact: { list: 6, read: 5, prompt: 2 },
} as const

type Input = BrowseAction | { input: string; key: Key; view: View }

/** The last two of the list stay if the line is too short for all. */
const keys: Readonly<Record<BrowseState['step'], readonly string[]>> = {
  search: ['type to search', '↑↓ move', 'Enter to the list', 'Esc clear or quit'],
  list: [
    'Enter read',
    '/ search',
    'd forget',
    'u undo',
    'e edit',
    'p pin',
    't tags',
    's supersede',
    'y copy',
    'q quit',
    '? keys',
  ],
  read: ['↑↓ scroll', 'e edit', 'd forget', 'u undo', 'p pin', 't tags', 's supersede', 'Esc back', '? keys'],
  tag: ['Enter filter by this tag', 'empty: any', 'Esc back'],
  project: ['Enter filter by this project', 'Esc back'],
  tags: ['Enter save', 'comma-separated', 'Ctrl-U clear', 'Esc back'],
  edit: ['Enter save', '←→ Home End move', 'Ctrl-U clear', 'Esc back'],
  reason: ['Enter next', 'Esc cancel'],
  confirm: ['y yes', 'n back'],
  keys: [],
  left: [],
}
const choosingKeys = ['Enter choose as replacement', '↑↓ move', '/ search', 'Esc cancel']
const forgottenKeys = ['Enter read', '/ search', 'u bring back', 'v back to the others', 'q quit', '? keys']

/** Shows the browse screen until the user leaves it (q, Esc at an empty search line, Ctrl-C). */
export async function browseMemories(input: {
  send: typeof call
  query: string
  filter: Partial<BrowseFilter>
  color: boolean
}): Promise<void> {
  const { send, ...shown } = input
  const api = createBrowseApi({ send, copy: text => copyText(text) })
  const screen = render(<BrowseScreen api={api} now={Date.now()} {...shown} />)
  await screen.waitUntilExit()
}

/**
 * Searches as the user types; filters, shows, changes, rates, forgets and recovers memories. The list shows a
 * change once the daemon has confirmed it; errors appear in place.
 */
export function BrowseScreen({ api, query, filter, color, now }: BrowseScreenProps) {
  const [state, dispatch] = useReducer(reduceInput, undefined, () => startBrowse(query, filter))
  const { exit } = useApp()
  const { columns, rows } = useScreenSize()
  const width = Math.min(columns, 120)
  const isCompact = rows < compactBelow
  const prompts = labels[state.step] !== undefined || state.intent !== undefined
  const frame = isCompact ? chrome.compact : chrome.full
  const listRows = Math.max(3, rows - frame.list)
  const readRows = Math.max(3, rows - frame.read - (prompts ? frame.prompt : 0))
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
  if (state.step === 'keys') return <KeysPane width={width} color={color} />
  const part = { state, width, color }
  return (
    <Column width={width}>
      <SearchLine {...part} />
      <FilterLine {...part} />
      {state.step === 'read' && selected ? (
        <ReadPane
          row={selected}
          text={text}
          scroll={Math.min(state.scroll, maxScroll)}
          rows={readRows}
          color={color}
          compact={isCompact}
          now={now}
        />
      ) : (
        <BrowseList
          {...part}
          rows={listRows}
          layout={isCompact ? (prompts ? 'list' : 'compact') : 'full'}
          now={now}
        />
      )}
      {(prompts || !isCompact) && <BrowsePrompt {...part} />}
      {(!isCompact || hasNotice(state)) && <Notice state={state} color={color} />}
      {(!isCompact || !hasNotice(state)) && (
        <Text dimColor wrap="truncate">
          {keysOf(state, width)}
        </Text>
      )}
    </Column>
  )
}

function hasNotice({ task, notice }: BrowseState): boolean {
  return task !== undefined || notice.text !== ''
}

function Notice({ state: { task, notice }, color }: Omit<PartProps, 'width'>) {
  return (
    <Text {...tint(color, notice.fault ? 'red' : 'yellow')} wrap="truncate">
      {task ? 'Working …' : plainLine(notice.text) || ' '}
    </Text>
  )
}

/**
 * Handles each key with the current state. Keys typed ahead of a new step are dropped, so that a pasted text
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

function SearchLine({ state, width, color }: PartProps) {
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

/** The filters in words; in the search line their keys would type letters, so only the words show there. */
function FilterLine({ state, width, color }: PartProps) {
  const { type, tag, project, pinned, forgotten } = state.filter
  const isNarrow = width < narrowBelow
  const parts = [
    ['f', type === undefined ? (isNarrow ? 'types' : 'all types') : labelOf('memoryType', type)],
    ['#', tag ? `tag ${plainLine(tag)}` : isNarrow ? 'tags' : 'all tags'],
    ['w', placeName(project)],
    ['o', pinned ? 'only pinned' : 'pinned or not'],
    ['v', forgotten ? 'forgotten' : isNarrow ? 'kept' : 'not forgotten'],
  ]
  const active = type !== undefined || tag !== undefined || project !== undefined || pinned || forgotten
  return (
    <Text {...(active ? tint(color, 'green') : {})} dimColor={!active} wrap="truncate">
      {parts.map(([key, words]) => (state.step === 'search' ? words : `${key} ${words}`)).join(' · ')}
    </Text>
  )
}

function placeName(project: string | undefined): string {
  if (project === undefined) return 'this folder'
  if (project === '*') return 'all projects'
  return project === '-' ? 'no project' : plainLine(shortNameOf(project))
}

/** Returns as many keys as fit; the last two always, because they lead out and to the others. */
function keysOf({ step, intent, filter }: BrowseState, width: number): string {
  const chosen =
    step === 'list' && intent
      ? choosingKeys
      : filter.forgotten && step === 'list'
        ? forgottenKeys
        : keys[step]
  const shown = [...chosen]
  while (shown.length > 2 && displayWidth(shown.join(' · ')) > width) shown.splice(-3, 1)
  return shown.join(' · ')
}

/** Searches when query, filter or data change, and cancels the previous search. */
function useSearch(
  api: BrowseApi,
  { query, filter, revision }: BrowseState,
  dispatch: Dispatch<BrowseAction>,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a revision is a reason to search the same again
  useEffect(() => {
    const given = new AbortController()
    const timer = setTimeout(async () => {
      dispatch({ do: 'searching' })
      try {
        const rows = await api.search(query, filter, given.signal)
        if (!given.signal.aborted) dispatch({ do: 'found', rows })
      } catch (error) {
        if (!given.signal.aborted) dispatch({ do: 'failed', text: (error as Error).message })
      }
    }, debounceMs)
    return () => {
      clearTimeout(timer)
      given.abort()
    }
  }, [api, query, filter, revision, dispatch])
}

/** Carries out the requested change once. */
function useTask(api: BrowseApi, { task }: BrowseState, dispatch: Dispatch<BrowseAction>): void {
  useEffect(() => {
    if (!task) return
    api.run(task).then(
      outcome => dispatch({ do: 'succeeded', ...outcome }),
      error => dispatch({ do: 'failed', text: (error as Error).message }),
    )
  }, [api, task, dispatch])
}

/**
 * Shows the prompt: a line of text or a confirmation. It always has two rows, so that the layout does not
 * jump.
 */
function BrowsePrompt({ state, width, color }: PartProps) {
  return (
    <Box flexDirection="column" height={2}>
      <Text {...tint(color, state.intent?.do === 'forget' ? 'red' : 'cyan')} wrap="truncate">
        {question(state, width)}
      </Text>
      <Answer state={state} width={width} color={color} />
    </Box>
  )
}

function question({ step, intent }: BrowseState, width: number): string {
  const short = (content: string) => clipText(plainLine(content), Math.floor(width / 3))
  if (step === 'project') return 'Empty: this folder and no project · *: all · -: no project only'
  if (intent?.do === 'edit' || intent?.do === 'tags') {
    const what = intent.do === 'edit' ? 'text' : 'tags'
    return `Edit the ${what} of "${short(intent.row.content)}"`
  }
  if (intent?.do === 'forget') {
    const pinned = intent.row.pinned ? 'the pinned memory ' : ''
    return `Forget ${pinned}"${short(intent.row.content)}"${step === 'confirm' ? ' y / n' : ''}`
  }
  if (intent?.do === 'supersede') {
    if (!intent.by) return `Choose the memory that replaces "${short(intent.row.content)}"`
    const by = short(intent.by.content)
    return `Replace "${short(intent.row.content)}" with "${by}"${step === 'confirm' ? ' y / n' : ''}`
  }
  return ' '
}

function Answer({ state: { step, input, behind }, width, color }: PartProps) {
  const label = labels[step]
  if (!label) return <Text> </Text>
  const parts = [...input]
  const caret = parts.length - Math.min(behind, parts.length)
  const after = plainLine(parts.slice(caret + 1).join(''))
  // The text before the caret leaves some room for the text behind it.
  const room = width - 12 - Math.min(displayWidth(after), Math.floor(width / 3))
  return (
    <Text wrap="truncate">
      <Text bold>{`${label}: `}</Text>
      <Text {...tint(color, 'cyan')}>{plainLine(tailOf(parts.slice(0, caret).join(''), room))}</Text>
      {step !== 'confirm' && <Text inverse>{plainLine(parts[caret] ?? ' ')}</Text>}
      <Text {...tint(color, 'cyan')}>{after}</Text>
    </Text>
  )
}
