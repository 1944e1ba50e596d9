import type { Reply } from '../../../contract/api.js'
import { memoryTypes } from '../../../contract/ground/memory-types.js'

type SearchHit = Extract<Reply<'GET /memory/search'>, { results: unknown }>['results'][number]

/** The fields of a memory that the screen shows. */
export type BrowseRow = Pick<
  SearchHit,
  'id' | 'content' | 'type' | 'tags' | 'pinned' | 'created_at' | 'importance' | 'who' | 'project'
>

export interface BrowseFilter {
  type?: (typeof memoryTypes)[number]
  tag?: string
  pinned: boolean
}

/** A running change; its outcome arrives as `succeeded` or `failed`. */
export type BrowseTask =
  | { do: 'pin'; row: BrowseRow; pinned: boolean }
  | { do: 'tags'; row: BrowseRow; tags: string }
  | { do: 'forget'; row: BrowseRow; reason: string }
  | { do: 'supersede'; row: BrowseRow; by: BrowseRow; reason: string }

/** Recipient of the keys: the search line, the list, one memory, an input line, a question, or none. */
export type BrowseStep = 'search' | 'list' | 'read' | 'tag' | 'tags' | 'reason' | 'confirm' | 'left'

export interface BrowseState {
  step: BrowseStep
  query: string
  filter: BrowseFilter
  rows: readonly BrowseRow[]
  cursor: number
  /** First visible line of the open memory. */
  scroll: number
  /** Text typed at the steps tag, tags and reason. */
  input: string
  /** The change in preparation with its memory; `by` is missing while the user selects a successor. */
  intent?:
    | { do: 'tags' | 'forget'; row: BrowseRow }
    | { do: 'supersede'; row: BrowseRow; by?: BrowseRow }
    | undefined
  task?: BrowseTask | undefined
  loading: boolean
  /** Increased when the list has to be fetched again. */
  revision: number
  /** Feedback on the last key in one line; '' if there is none. */
  notice: { text: string; fault: boolean }
}

export type BrowseAction =
  | { do: 'type'; text: string }
  | { do: 'erase' | 'clear' | 'next' | 'back' | 'leave' }
  | { do: 'move'; by: number }
  | { do: 'scroll'; by: number; maxScroll: number }
  | { do: 'search' | 'filterType' | 'filterPinned' | 'filterTag' }
  | { do: 'pin' | 'tags' | 'supersede' | 'forget' }
  | { do: 'searching' }
  | { do: 'found'; rows: readonly BrowseRow[] }
  | { do: 'succeeded'; text: string }
  | { do: 'failed'; text: string }

const maxInput = 2000
const calm = { text: '', fault: false }

export function startBrowse(query = ''): BrowseState {
  return {
    step: 'search',
    query,
    filter: { pinned: false },
    rows: [],
    cursor: 0,
    scroll: 0,
    input: '',
    loading: true,
    revision: 0,
    notice: calm,
  }
}

/** Returns the state after one key or one answer of the daemon. Nothing else changes it. */
export function reduceBrowse(state: BrowseState, action: BrowseAction): BrowseState {
  switch (action.do) {
    case 'searching':
      return { ...state, loading: true }
    case 'found':
      return withRows(state, action.rows)
    case 'succeeded':
      return succeeded(state, action.text)
    case 'failed':
      return { ...state, task: undefined, loading: false, notice: { text: action.text, fault: true } }
    default:
      // A running change ends before the next begins.
      return state.task && action.do !== 'leave' ? state : pressed({ ...state, notice: calm }, action)
  }
}

function pressed(state: BrowseState, action: BrowseAction): BrowseState {
  const row = state.rows[state.cursor]
  switch (action.do) {
    case 'leave':
      return { ...state, step: 'left' }
    case 'type':
      return withInput(state, text => (text + action.text).slice(0, maxInput))
    case 'erase':
      return withInput(state, text => [...text].slice(0, -1).join(''))
    case 'clear':
      return withInput(state, () => '')
    case 'move':
      return { ...state, cursor: within(state.cursor + action.by, state.rows.length - 1) }
    case 'scroll':
      return { ...state, scroll: within(state.scroll + action.by, action.maxScroll) }
    case 'search':
      return { ...state, step: 'search' }
    case 'filterType':
      return withFilter(state, { type: nextType(state.filter.type) })
    case 'filterPinned':
      return withFilter(state, { pinned: !state.filter.pinned })
    case 'filterTag':
      return { ...state, step: 'tag', input: state.filter.tag ?? '' }
    case 'next':
      return next(state, row)
    case 'back':
      return back(state)
    default:
      return row
        ? onRow(state, row, action)
        : { ...state, notice: { text: 'Nothing is selected.', fault: false } }
  }
}

function onRow(state: BrowseState, row: BrowseRow, action: BrowseAction): BrowseState {
  switch (action.do) {
    case 'pin':
      return { ...state, task: { do: 'pin', row, pinned: row.pinned === 0 } }
    case 'tags':
      return { ...state, step: 'tags', input: row.tags, intent: { do: 'tags', row } }
    case 'forget':
      return { ...state, step: 'reason', input: '', intent: { do: 'forget', row } }
    case 'supersede':
      return { ...state, step: 'list', intent: { do: 'supersede', row } }
    default:
      return state
  }
}

/** Enter: opens, selects or continues. */
function next(state: BrowseState, row: BrowseRow | undefined): BrowseState {
  const { step, input, intent, filter } = state
  if (step === 'search') return { ...state, step: 'list' }
  if (step === 'list' && row)
    return intent?.do === 'supersede' ? withSuccessor(state, row) : { ...state, step: 'read', scroll: 0 }
  if (step === 'tag')
    return {
      ...withFilter({ ...state, filter: { ...filter, tag: input.trim() || undefined } }, {}),
      step: 'list',
    }
  if (step === 'tags' && intent)
    return { ...state, step: 'list', intent: undefined, task: { do: 'tags', row: intent.row, tags: input } }
  if (step === 'reason') {
    if (input.trim() !== '') return { ...state, step: 'confirm' }
    return { ...state, notice: { text: 'Enter a reason; it is recorded in the history.', fault: false } }
  }
  return step === 'confirm' ? startChange(state) : state
}

function withSuccessor(state: BrowseState, by: BrowseRow): BrowseState {
  const { intent } = state
  if (intent?.do !== 'supersede') return state
  if (intent.row.id !== by.id) return { ...state, step: 'reason', input: '', intent: { ...intent, by } }
  return { ...state, notice: { text: 'A memory cannot replace itself. Choose another one.', fault: false } }
}

function startChange(state: BrowseState): BrowseState {
  const { intent, input } = state
  const reason = input.trim()
  const calmed = { ...state, step: 'list' as const, intent: undefined }
  if (intent?.do === 'forget') return { ...calmed, task: { do: 'forget', row: intent.row, reason } }
  if (intent?.do === 'supersede' && intent.by)
    return { ...calmed, task: { do: 'supersede', row: intent.row, by: intent.by, reason } }
  return calmed
}

/** Escape: goes back one step; at the search line it clears the text first. */
function back(state: BrowseState): BrowseState {
  const { step, query, intent } = state
  if (step === 'search') return query === '' ? { ...state, step: 'left' } : { ...state, query: '', cursor: 0 }
  if (step === 'confirm') return { ...state, step: 'reason' }
  if (step === 'list' && !intent) return { ...state, step: 'search' }
  return { ...state, step: 'list', intent: undefined }
}

function withInput(state: BrowseState, change: (text: string) => string): BrowseState {
  return state.step === 'search'
    ? { ...state, query: change(state.query), cursor: 0 }
    : { ...state, input: change(state.input) }
}

function withFilter(state: BrowseState, change: Partial<BrowseFilter>): BrowseState {
  return { ...state, filter: { ...state.filter, ...change }, cursor: 0 }
}

function nextType(type: BrowseFilter['type']): BrowseFilter['type'] {
  return memoryTypes[type === undefined ? 0 : memoryTypes.indexOf(type) + 1]
}

/** Keeps the cursor on its memory while that is in the list. */
function withRows(state: BrowseState, rows: readonly BrowseRow[]): BrowseState {
  const here = state.rows[state.cursor]?.id
  const again = rows.findIndex(row => row.id === here)
  const cursor =
    again >= 0 && (state.cursor > 0 || state.step !== 'search')
      ? again
      : within(state.cursor, rows.length - 1)
  const step = state.step === 'read' && rows[cursor]?.id !== here ? 'list' : state.step
  return { ...state, rows, cursor, step, loading: false }
}

function succeeded(state: BrowseState, text: string): BrowseState {
  return { ...state, task: undefined, revision: state.revision + 1, notice: { text, fault: false } }
}

function within(value: number, max: number): number {
  return Math.max(0, Math.min(max, value))
}
