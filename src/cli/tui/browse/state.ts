import type { Reply, Request } from '../../../contract/api.js'
import { memoryTypes } from '../../../contract/ground/wire-names.js'

type SearchHit = Extract<Reply<'GET /memory/search'>, { results: unknown }>['results'][number]

/** The fields of a memory that the screen shows. */
export type BrowseRow = Pick<
  SearchHit,
  'id' | 'content' | 'type' | 'tags' | 'pinned' | 'created_at' | 'importance' | 'who' | 'project'
>

export interface BrowseFilter {
  type?: (typeof memoryTypes)[number]
  tag?: string
  /** A project, `*` for all, `-` for memories of none; undefined for the current folder. */
  project?: string
  pinned: boolean
  /** Shows forgotten memories instead. */
  forgotten: boolean
}

export type Judgement = NonNullable<Request<'POST /api/memory/:id/judgement'>['body']>['judgement']

/** A running task; its outcome arrives as `succeeded` or `failed`. */
export type BrowseTask =
  | { do: 'pin'; row: BrowseRow; pinned: boolean }
  | { do: 'tags'; row: BrowseRow; tags: string }
  | { do: 'edit'; row: BrowseRow; text: string }
  | { do: 'rate'; row: BrowseRow; judgement: Judgement }
  | { do: 'copy'; row: BrowseRow; part: 'text' | 'id' }
  | { do: 'forget'; row: BrowseRow; reason: string }
  | { do: 'recover'; row: BrowseRow }
  | { do: 'supersede'; row: BrowseRow; by: BrowseRow; reason: string }

/** Effect of a task. */
export interface BrowseOutcome {
  /** One line for a person. */
  text: string
  /** The task that takes it back; absent if there is none. */
  undo?: BrowseTask | undefined
}

/**
 * Recipient of the keys: the search line, the list, one memory, an input line, a question, the list of keys,
 * or none.
 */
export type BrowseStep = 'search' | 'list' | 'read' | InputStep | 'confirm' | 'keys' | 'left'

/** Steps with an input line: two filters, then fields of a memory, then the reason of a change. */
export type InputStep = 'tag' | 'project' | 'tags' | 'edit' | 'reason'

export interface BrowseState {
  step: BrowseStep
  query: string
  filter: BrowseFilter
  rows: readonly BrowseRow[]
  cursor: number
  /** First visible line of the open memory. */
  scroll: number
  /** Text typed at a step with an input line. */
  input: string
  /** Number of characters of it behind the caret. */
  behind: number
  /** The change in preparation with its memory; `by` is missing while the user selects a successor. */
  intent?:
    | { do: 'tags' | 'edit' | 'forget'; row: BrowseRow }
    | { do: 'supersede'; row: BrowseRow; by?: BrowseRow }
    | undefined
  task?: BrowseTask | undefined
  /** Tasks that take back the changes made here, the last one at the end. */
  undos: readonly BrowseTask[]
  /** True while a change is taken back. */
  undoing: boolean
  loading: boolean
  /** Increased when the list has to be fetched again. */
  revision: number
  /** Feedback on the last key in one line; '' if there is none. */
  notice: { text: string; fault: boolean }
}

export type BrowseAction =
  | { do: 'type'; text: string }
  | { do: 'erase' | 'clear' }
  | { do: 'next' | 'back' | 'leave' }
  | { do: 'move'; by: number }
  | { do: 'scroll'; by: number; maxScroll: number }
  | { do: 'caret'; by: number }
  | { do: 'search' | 'keys' | 'undo' }
  | { do: 'filterType' | 'filterPinned' | 'filterTag' | 'filterProject' | 'filterForgotten' }
  | { do: 'pin' | 'tags' | 'edit' | 'supersede' | 'forget' }
  | { do: 'rate'; judgement: Judgement }
  | { do: 'copy'; part: 'text' | 'id' }
  | { do: 'searching' }
  | { do: 'found'; rows: readonly BrowseRow[] }
  | ({ do: 'succeeded' } & BrowseOutcome)
  | { do: 'failed'; text: string }

const maxInput = 2000
/** A memory has at most this many characters. */
const maxText = 100_000
const calm = { text: '', fault: false }

/** @param filter the parts that the command line chose. */
export function startBrowse(query = '', filter: Partial<BrowseFilter> = {}): BrowseState {
  return {
    step: 'search',
    query,
    filter: { pinned: false, forgotten: false, ...filter },
    rows: [],
    cursor: 0,
    scroll: 0,
    input: '',
    behind: 0,
    undos: [],
    undoing: false,
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
      return succeeded(state, action)
    case 'failed':
      return {
        ...state,
        task: undefined,
        undoing: false,
        loading: false,
        notice: { text: action.text, fault: true },
      }
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
    case 'erase':
    case 'clear':
    case 'caret':
      return edited(state, action)
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
    case 'filterForgotten':
      return withFilter({ ...state, step: 'list' }, { forgotten: !state.filter.forgotten })
    case 'filterTag':
      return { ...state, step: 'tag', input: state.filter.tag ?? '', behind: 0 }
    case 'filterProject':
      return { ...state, step: 'project', input: state.filter.project ?? '', behind: 0 }
    case 'keys':
      return { ...state, step: 'keys' }
    case 'undo':
      return undo(state, row)
    case 'next':
      return next(state, row)
    case 'back':
      return back(state)
    default:
      return row ? onRow(state, row, action) : said(state, 'Nothing is selected.')
  }
}

function said(state: BrowseState, text: string): BrowseState {
  return { ...state, notice: { text, fault: false } }
}

/** Takes back the last change made here, or brings back the selected forgotten memory. */
function undo(state: BrowseState, row: BrowseRow | undefined): BrowseState {
  if (state.filter.forgotten) {
    return row
      ? { ...state, step: 'list', task: { do: 'recover', row } }
      : said(state, 'Nothing is selected.')
  }
  const task = state.undos.at(-1)
  if (!task) return said(state, 'Nothing to undo here. For forgotten memories press v.')
  return { ...state, task, undoing: true, undos: state.undos.slice(0, -1) }
}

function onRow(state: BrowseState, row: BrowseRow, action: BrowseAction): BrowseState {
  if (action.do === 'copy') return { ...state, task: { do: 'copy', row, part: action.part } }
  if (state.filter.forgotten) return said(state, 'This memory is forgotten. u brings it back.')
  switch (action.do) {
    case 'pin':
      return { ...state, task: { do: 'pin', row, pinned: row.pinned === 0 } }
    case 'rate':
      return { ...state, task: { do: 'rate', row, judgement: action.judgement } }
    case 'tags':
      return { ...state, step: 'tags', input: row.tags, behind: 0, intent: { do: 'tags', row } }
    case 'edit':
      return { ...state, step: 'edit', input: row.content, behind: 0, intent: { do: 'edit', row } }
    case 'forget':
      return { ...state, step: 'reason', input: '', behind: 0, intent: { do: 'forget', row } }
    case 'supersede':
      return { ...state, step: 'list', intent: { do: 'supersede', row } }
    default:
      return state
  }
}

/** Enter: opens, selects or continues. */
function next(state: BrowseState, row: BrowseRow | undefined): BrowseState {
  const { step, input, intent } = state
  switch (step) {
    case 'search':
      return { ...state, step: 'list' }
    case 'list':
      if (!row) return state
      return intent?.do === 'supersede' ? withSuccessor(state, row) : { ...state, step: 'read', scroll: 0 }
    case 'tag':
    case 'project':
      return { ...withFilter(state, { [step]: input.trim() || undefined }), step: 'list' }
    case 'tags':
    case 'edit':
      return savedInput(state)
    case 'reason':
      if (input.trim() !== '') return { ...state, step: 'confirm' }
      return said(state, 'Enter a reason; it is recorded in the history.')
    default:
      return step === 'confirm' ? startChange(state) : state
  }
}

function savedInput(state: BrowseState): BrowseState {
  const { input, intent } = state
  const calmed = { ...state, step: 'list' as const, intent: undefined }
  if (intent?.do === 'tags') return { ...calmed, task: { do: 'tags', row: intent.row, tags: input } }
  if (intent?.do !== 'edit') return calmed
  if (input.trim() === '') return said(state, 'A memory needs a text. To forget it: Esc, then d.')
  if (input === intent.row.content) return said(calmed, 'Unchanged.')
  return { ...calmed, task: { do: 'edit', row: intent.row, text: input } }
}

function withSuccessor(state: BrowseState, by: BrowseRow): BrowseState {
  const { intent } = state
  if (intent?.do !== 'supersede') return state
  if (intent.row.id !== by.id)
    return { ...state, step: 'reason', input: '', behind: 0, intent: { ...intent, by } }
  return said(state, 'A memory cannot replace itself. Choose another one.')
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
  if (step === 'keys') return { ...state, step: 'list' }
  return { ...state, step: 'list', intent: undefined }
}

type EditAction = Extract<BrowseAction, { do: 'type' | 'caret' } | { do: 'erase' | 'clear' }>

/** Changes the text that is being typed, at its caret; the search line has it at the end. */
function edited(state: BrowseState, action: EditAction): BrowseState {
  const isSearch = state.step === 'search'
  const text = [...(isSearch ? state.query : state.input)]
  const behind = isSearch ? 0 : Math.min(state.behind, text.length)
  if (action.do === 'caret') return { ...state, behind: within(behind - action.by, text.length) }
  const before = text.slice(0, text.length - behind)
  const after = text.slice(text.length - behind).join('')
  const max = state.step === 'edit' ? maxText : maxInput
  const withText = (changed: string, behind: number) =>
    isSearch ? { ...state, query: changed, cursor: 0 } : { ...state, input: changed, behind }
  if (action.do === 'clear') return withText('', 0)
  const typed = action.do === 'type' ? [...before, action.text] : before.slice(0, -1)
  return withText((typed.join('') + after).slice(0, max), behind)
}

function withFilter(
  state: BrowseState,
  change: { [Part in keyof BrowseFilter]?: BrowseFilter[Part] | undefined },
): BrowseState {
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

function succeeded(state: BrowseState, { text, undo }: BrowseOutcome): BrowseState {
  const isNew = undo !== undefined && !state.undoing
  return {
    ...said(state, text),
    task: undefined,
    undoing: false,
    undos: isNew ? [...state.undos, undo] : state.undos,
    revision: state.revision + 1,
  }
}

function within(value: number, max: number): number {
  return Math.max(0, Math.min(max, value))
}
