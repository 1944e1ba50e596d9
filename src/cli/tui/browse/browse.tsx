import { Box, type Key, render, Text, useApp, useInput } from 'ink'
import { type Dispatch, useEffect, useReducer } from 'react'
import type { call } from '../../../client/call.js'
import { hasOtherHolders } from '../../../contract/memory/other-holders.js'
import { countOf } from '../../../lib/text/count-of.js'
import { clipText, plainLine, wrapText } from '../../terminal/text.js'
import { keyPresses, tailOf, tint, useScreenSize } from '../screen.js'
import { browseAction, type View } from './keys.js'
import { BrowseList, ReadPane } from './panes.js'
import {
  type BrowseAction,
  type BrowseFilter,
  type BrowseRow,
  type BrowseState,
  type BrowseTask,
  reduceBrowse,
  startBrowse,
} from './state.js'

/** Requests of the screen to the daemon. */
export interface BrowseApi {
  /**
   * Returns the best matches first, or the newest without a query. Rejects with an AbortError if cancelled.
   */
  search(query: string, filter: BrowseFilter, signal: AbortSignal): Promise<readonly BrowseRow[]>
  /** @returns a description of the change for a person. */
  run(task: BrowseTask): Promise<string>
}

const maxRows = 100

/**
 * Implements the requests with calls of the daemon. Keyword search does not count accesses and needs no
 * vector.
 */
export function createBrowseApi(send: typeof call, project?: string): BrowseApi {
  return {
    search: async (query, { type, tag, pinned }, signal) => {
      const text = query.trim() || undefined
      const reply = await send(
        'GET /memory/search',
        { query: { q: text, project, type, tags: tag, pinned: pinned || undefined, limit: maxRows } },
        { signal },
      )
      return 'results' in reply ? reply.results : []
    },
    run: task => runTask(send, task),
  }
}

async function runTask(send: typeof call, task: BrowseTask): Promise<string> {
  const params = { id: task.row.id }
  switch (task.do) {
    case 'pin': {
      const { pinned } = task
      const reason = pinned ? 'pinned while browsing' : 'unpinned while browsing'
      await send('PATCH /api/memory/:id', { params, body: { pinned, reason } })
      return pinned ? 'Pinned.' : 'Unpinned.'
    }
    case 'tags':
      await send('PATCH /api/memory/:id', {
        params,
        body: { tags: task.tags, reason: 'tagged while browsing' },
      })
      return 'Tags saved.'
    case 'supersede': {
      const { by, reason } = task
      await send('POST /api/memories/:id/supersede', { params, body: { supersededBy: by.id, reason } })
      return `Superseded by ${by.id}.`
    }
    case 'forget': {
      const force = task.row.pinned === 1
      const removed = await send('DELETE /api/memory/:id', { params, body: { reason: task.reason, force } })
      if (hasOtherHolders(removed)) return 'Forgotten here. Other agents saved it too and still see it.'
      return 'Forgotten. Undo within 30 days: memory undo'
    }
  }
}

interface BrowsePromptProps {
  state: BrowseState
  width: number
  color: boolean
}

const labels: Readonly<Partial<Record<BrowseState['step'], string>>> = {
  tag: 'Tag',
  tags: 'Tags',
  reason: 'Reason',
  confirm: 'Reason',
}

/** The search runs once typing pauses for this long. */
export const debounceMs = 120

interface BrowseScreenProps {
  api: BrowseApi
  query: string
  /** False disables colour; bold and inverse remain. */
  color: boolean
  /** Milliseconds since the epoch. */
  now: number
}

/** Rows outside the list or the text: search line, filters, gaps, details, prompt, notice, keys. */
const listChrome = 13

const readChrome = 9

type Input = BrowseAction | { input: string; key: Key; view: View }

const keys = {
  search: 'type to search · ↑↓ move · Enter to the list · Esc clear or quit',
  list: 'Enter read · / search · p pin · t tags · s supersede · d forget · q quit',
  read: '↑↓ scroll · p pin · t tags · s supersede · d forget · Esc back · q quit',
  tag: 'Enter filter by this tag (empty: any) · Esc back',
  tags: 'comma-separated tags · Enter save · Ctrl-U clear · Esc back',
  reason: 'Enter next · Esc cancel',
  confirm: 'y yes · n back',
  left: '',
} as const

/** Shows the browse screen until the user leaves it (q, Esc at an empty search line, Ctrl-C). */
export async function browseMemories(input: {
  send: typeof call
  query: string
  /** Only memories of this project; undefined for those near the current folder. */
  project?: string | undefined
  color: boolean
}): Promise<void> {
  const { send, query, project, color } = input
  const screen = render(
    <BrowseScreen api={createBrowseApi(send, project)} query={query} color={color} now={Date.now()} />,
  )
  await screen.waitUntilExit()
}

/**
 * Searches as the user types; filters, shows, pins, tags, supersedes and forgets memories. The list shows a
 * change once the daemon has confirmed it; errors appear in place.
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
  if (step === 'list' && intent) return 'Enter choose as replacement · ↑↓ move · / search · Esc cancel'
  return keys[step]
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
      text => dispatch({ do: 'succeeded', text }),
      error => dispatch({ do: 'failed', text: (error as Error).message }),
    )
  }, [api, task, dispatch])
}

/**
 * Shows the prompt: a line of text or a confirmation. It always has two rows, so that the layout does not
 * jump.
 */
function BrowsePrompt({ state, width, color }: BrowsePromptProps) {
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

function Answer({ state: { step, input }, width, color }: BrowsePromptProps) {
  const label = labels[step]
  if (!label) return <Text> </Text>
  return (
    <Text wrap="truncate">
      <Text bold>{`${label}: `}</Text>
      <Text {...tint(color, 'cyan')}>{plainLine(tailOf(input, width - 12))}</Text>
      {step !== 'confirm' && <Text inverse> </Text>}
    </Text>
  )
}
