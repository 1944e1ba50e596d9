import type { Key } from 'ink'
import { typedAction } from '../screen.js'
import type { BrowseAction, BrowseState, BrowseStep, InputStep } from './state.js'

/** Dimensions of the visible content. */
export interface View {
  /** Rows per page up and page down. */
  pageRows: number
  /** Maximum scroll position of the open memory. */
  maxScroll: number
}

const letters: Readonly<Record<string, BrowseAction>> = {
  '/': { do: 'search' },
  '?': { do: 'keys' },
  f: { do: 'filterType' },
  '#': { do: 'filterTag' },
  w: { do: 'filterProject' },
  o: { do: 'filterPinned' },
  v: { do: 'filterForgotten' },
  p: { do: 'pin' },
  t: { do: 'tags' },
  e: { do: 'edit' },
  s: { do: 'supersede' },
  d: { do: 'forget' },
  u: { do: 'undo' },
  '+': { do: 'rate', judgement: 'up' },
  '-': { do: 'rate', judgement: 'down' },
  '!': { do: 'rate', judgement: 'wrong' },
  '0': { do: 'rate', judgement: 'none' },
  y: { do: 'copy', part: 'text' },
  Y: { do: 'copy', part: 'id' },
  q: { do: 'leave' },
}

/** Letters that still work while the user selects a successor. */
const selecting = ['/', '?', 'f', '#', 'w', 'o', 'q']

/** All keys of the list and of an open memory, as the list of keys shows them. */
export const keyList: ReadonlyArray<readonly [key: string, effect: string]> = [
  ['Enter', 'read, or go back'],
  ['↑↓ jk', 'move'],
  ['Space', 'a page; g G ends'],
  ['/', 'search'],
  ['f', 'filter by type'],
  ['#', 'filter by tag'],
  ['w', 'filter by project'],
  ['o', 'only pinned ones'],
  ['v', 'forgotten ones'],
  ['y', 'copy the text'],
  ['Y', 'copy the id'],
  ['q', 'quit'],
  ['e', 'edit the text'],
  ['t', 'edit the tags'],
  ['p', 'pin or unpin'],
  ['s', 'supersede'],
  ['d', 'forget'],
  ['u', 'undo, or bring back'],
  ['+', 'rate as helpful'],
  ['-', 'rate as not helpful'],
  ['!', 'mark as wrong'],
  ['0', 'remove the rating'],
  ['Esc', 'one step back'],
]

/** Returns the action of a key at a step; undefined if it has none. */
export function browseAction(
  { step, intent }: Pick<BrowseState, 'step' | 'intent'>,
  input: string,
  key: Partial<Key>,
  view: View,
): BrowseAction | undefined {
  if (step === 'left') return undefined
  if (key.escape || step === 'keys') return input === 'q' ? { do: 'leave' } : { do: 'back' }
  if (step === 'confirm') return confirmAction(input)
  if (key.return) return step === 'read' ? { do: 'back' } : { do: 'next' }
  if (isTyping(step)) return typingAction(step, input, key, view)
  const moved = movement(input, key, view)
  if (moved !== undefined)
    return step === 'read'
      ? { do: 'scroll', by: moved, maxScroll: view.maxScroll }
      : { do: 'move', by: moved }
  const action = letters[input]
  return intent && !selecting.includes(input) ? undefined : action
}

const inputSteps: readonly BrowseStep[] = ['tag', 'project', 'tags', 'edit', 'reason'] satisfies InputStep[]

function isTyping(step: BrowseStep): boolean {
  return step === 'search' || inputSteps.includes(step)
}

function typingAction(
  step: BrowseStep,
  input: string,
  key: Partial<Key>,
  view: View,
): BrowseAction | undefined {
  if (key.ctrl && input === 'u') return { do: 'clear' }
  if (step !== 'search') return caretAction(input, key) ?? typedAction(input, key)
  if (key.tab) return { do: 'next' }
  const moved = movement('', key, view)
  return moved === undefined ? typedAction(input, key) : { do: 'move', by: moved }
}

function caretAction(input: string, key: Partial<Key>): BrowseAction | undefined {
  if (key.leftArrow) return { do: 'caret', by: -1 }
  if (key.rightArrow) return { do: 'caret', by: 1 }
  if (key.home || (key.ctrl && input === 'a')) return { do: 'caret', by: Number.NEGATIVE_INFINITY }
  if (key.end || (key.ctrl && input === 'e')) return { do: 'caret', by: Number.POSITIVE_INFINITY }
  return undefined
}

/** Only a typed y confirms, because Enter is pressed too easily. */
function confirmAction(input: string): BrowseAction | undefined {
  if (input === 'y' || input === 'Y') return { do: 'next' }
  return input === 'n' || input === 'N' ? { do: 'back' } : undefined
}

function movement(input: string, key: Partial<Key>, { pageRows }: View): number | undefined {
  if (key.upArrow || input === 'k') return -1
  if (key.downArrow || input === 'j') return 1
  if (key.pageUp) return -pageRows
  if (key.pageDown || input === ' ') return pageRows
  if (input === 'g') return Number.NEGATIVE_INFINITY
  return input === 'G' ? Number.POSITIVE_INFINITY : undefined
}
