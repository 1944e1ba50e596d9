import type { Key } from 'ink'
import { typedAction } from '../screen.js'
import type { ForgetAction, ForgetStep } from './state.js'

/**
 * What a key means at a step; undefined for keys that mean nothing there.
 * @param pageRows rows that page up and page down move by.
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
