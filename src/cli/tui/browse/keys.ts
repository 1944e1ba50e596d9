import type { Key } from 'ink'
import { typedAction } from '../screen.js'
import type { BrowseAction, BrowseState, BrowseStep } from './state.js'

/** What the screen shows at once. */
export interface View {
  /** Rows that page up and page down move by. */
  pageRows: number
  /** How far the memory that is read can be scrolled. */
  maxScroll: number
}

const letters: Readonly<Record<string, BrowseAction>> = {
  '/': { do: 'search' },
  f: { do: 'filterType' },
  '#': { do: 'filterTag' },
  o: { do: 'filterPinned' },
  p: { do: 'pin' },
  t: { do: 'tags' },
  s: { do: 'supersede' },
  d: { do: 'forget' },
  q: { do: 'leave' },
}

/** What a key means at a step; undefined for keys that mean nothing there. */
export function browseAction(
  { step, intent }: Pick<BrowseState, 'step' | 'intent'>,
  input: string,
  key: Partial<Key>,
  view: View,
): BrowseAction | undefined {
  if (step === 'left') return undefined
  if (key.escape) return { do: 'back' }
  if (step === 'confirm') return confirmAction(input)
  if (key.return) return step === 'read' ? { do: 'back' } : { do: 'next' }
  if (isTyping(step)) return typingAction(step, input, key, view)
  const moved = movement(input, key, view)
  if (moved !== undefined)
    return step === 'read'
      ? { do: 'scroll', by: moved, maxScroll: view.maxScroll }
      : { do: 'move', by: moved }
  const action = letters[input]
  // While a successor is chosen the letters only help to find it.
  return intent && ['p', 't', 's', 'd'].includes(input) ? undefined : action
}

function isTyping(step: BrowseStep): boolean {
  return step === 'search' || step === 'tag' || step === 'tags' || step === 'reason'
}

function typingAction(
  step: BrowseStep,
  input: string,
  key: Partial<Key>,
  view: View,
): BrowseAction | undefined {
  if (key.ctrl && input === 'u') return { do: 'clear' }
  if (step !== 'search') return typedAction(input, key)
  if (key.tab) return { do: 'next' }
  const moved = movement('', key, view)
  return moved === undefined ? typedAction(input, key) : { do: 'move', by: moved }
}

/** Only a y that is typed says yes: enter is pressed too easily. */
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
