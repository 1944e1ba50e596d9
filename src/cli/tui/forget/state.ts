import type { Key } from 'ink'
import type { Reply } from '../../../contract/api.js'
import { typedAction } from '../screen.js'

export type ForgetPreview = Extract<Reply<'POST /api/memory/forget'>, { mode: 'preview' }>
export type ForgetCandidate = ForgetPreview['candidates'][number]

/** Steps: selection, reason, confirmation, end. */
type ForgetStep = 'select' | 'reason' | 'confirm' | 'done' | 'cancelled'

export interface ForgetState {
  candidates: readonly ForgetCandidate[]
  cursor: number
  selected: ReadonlySet<string>
  step: ForgetStep
  reason: string
  /** True if the command had a reason, so the screen does not ask. */
  reasonGiven: boolean
  /** Allows to select pinned memories. */
  force: boolean
  /** Feedback on the last key in one line; '' if there is none. */
  notice: string
}

export type ForgetAction =
  | { do: 'move'; by: number }
  | { do: 'toggle' }
  | { do: 'toggleAll' }
  | { do: 'next' }
  | { do: 'back' }
  | { do: 'cancel' }
  | { do: 'type'; text: string }
  | { do: 'erase' }

const maxReason = 2000

/**
 * Returns the action of a key at a step; undefined if it has none.
 * @param pageRows rows per page up and page down.
 */
export function actionOf(
  step: ForgetStep,
  input: string,
  key: Partial<Key>,
  pageRows: number,
): ForgetAction | undefined {
  if (step === 'done' || step === 'cancelled') return undefined
  if (key.escape) return { do: 'back' }
  if (step === 'reason') return reasonAction(input, key)
  if (input === 'q') return { do: 'cancel' }
  if (step === 'confirm') return confirmAction(input, key)
  return selectAction(input, key, pageRows)
}

function selectAction(input: string, key: Partial<Key>, pageRows: number): ForgetAction | undefined {
  if (key.return) return { do: 'next' }
  if (key.upArrow || input === 'k') return { do: 'move', by: -1 }
  if (key.downArrow || input === 'j') return { do: 'move', by: 1 }
  if (key.pageUp) return { do: 'move', by: -pageRows }
  if (key.pageDown) return { do: 'move', by: pageRows }
  if (input === 'g') return { do: 'move', by: Number.NEGATIVE_INFINITY }
  if (input === 'G') return { do: 'move', by: Number.POSITIVE_INFINITY }
  if (input === ' ') return { do: 'toggle' }
  return input === 'a' ? { do: 'toggleAll' } : undefined
}

function confirmAction(input: string, key: Partial<Key>): ForgetAction | undefined {
  if (key.return || input === 'y' || input === 'Y') return { do: 'next' }
  return input === 'n' || input === 'N' ? { do: 'back' } : undefined
}

function reasonAction(input: string, key: Partial<Key>): ForgetAction | undefined {
  return key.return ? { do: 'next' } : typedAction(input, key)
}

/**
 * @param input `preselect` selects all selectable memories: right if ids or filters name them, not if a query
 * found them.
 */
export function startForget(input: {
  candidates: readonly ForgetCandidate[]
  reason?: string
  force: boolean
  preselect: boolean
}): ForgetState {
  const { candidates, reason, force, preselect } = input
  return {
    candidates,
    cursor: 0,
    selected: new Set(preselect ? choosable(candidates, force) : []),
    step: 'select',
    reason: reason ?? '',
    reasonGiven: reason !== undefined,
    force,
    notice: '',
  }
}

/**
 * Returns the state after one key. Nothing else changes it, so every screen is a function of the keys before
 * it.
 */
export function reduceForget(state: ForgetState, action: ForgetAction): ForgetState {
  const calm = { ...state, notice: '' }
  switch (action.do) {
    case 'cancel':
      return { ...calm, step: 'cancelled' }
    case 'move':
      return { ...calm, cursor: Math.min(state.candidates.length - 1, Math.max(0, state.cursor + action.by)) }
    case 'toggle':
      return toggle(calm)
    case 'toggleAll':
      return toggleAll(calm)
    case 'type':
      return { ...calm, reason: (state.reason + action.text).slice(0, maxReason) }
    case 'erase':
      return { ...calm, reason: [...state.reason].slice(0, -1).join('') }
    case 'next':
      return next(calm)
    case 'back':
      return back(calm)
  }
}

function toggle(state: ForgetState): ForgetState {
  const row = state.candidates[state.cursor]
  if (!row) return state
  if (row.pinned && !state.force)
    return { ...state, notice: 'Pinned. To select it, run forget with --force.' }
  const selected = new Set(state.selected)
  if (!selected.delete(row.id)) selected.add(row.id)
  return { ...state, selected }
}

function toggleAll(state: ForgetState): ForgetState {
  const all = choosable(state.candidates, state.force)
  return { ...state, selected: new Set(state.selected.size === all.length ? [] : all) }
}

function next(state: ForgetState): ForgetState {
  if (state.step === 'select') {
    if (state.selected.size === 0)
      return { ...state, notice: 'Nothing is selected. Space selects one, a selects all.' }
    return { ...state, step: state.reasonGiven ? 'confirm' : 'reason' }
  }
  if (state.step === 'reason') {
    if (state.reason.trim() === '')
      return { ...state, notice: 'Enter a reason; it is recorded in the history.' }
    return { ...state, step: 'confirm' }
  }
  return { ...state, step: state.step === 'confirm' ? 'done' : state.step }
}

function back(state: ForgetState): ForgetState {
  if (state.step === 'select') return { ...state, step: 'cancelled' }
  if (state.step === 'confirm' && !state.reasonGiven) return { ...state, step: 'reason' }
  return { ...state, step: 'select' }
}

function choosable(candidates: readonly ForgetCandidate[], force: boolean): string[] {
  return candidates.filter(row => force || !row.pinned).map(row => row.id)
}
