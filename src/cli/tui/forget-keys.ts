import type { Key } from 'ink'
import type { ForgetAction, ForgetStep } from './forget-state.js'

export interface KeyPress {
  input: string
  key: Partial<Key>
}

/** Keys that arrive in one read (fast typing, a slow machine, a paste) as the single keys they are. */
export function keyPresses(input: string, key: Partial<Key>): KeyPress[] {
  const characters = [...input]
  const isOneKey = characters.length <= 1 || Object.values(key).some(flag => flag === true)
  if (isOneKey) return [{ input, key }]
  return characters.map(character =>
    character === '\r' ? { input: '', key: { return: true } } : { input: character, key: {} },
  )
}

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

/** What a key does to a line of text that is being typed. */
export function typedAction(
  input: string,
  key: Partial<Key>,
): { do: 'type'; text: string } | { do: 'erase' } | undefined {
  if (key.backspace || key.delete) return { do: 'erase' }
  const text = key.ctrl || key.meta ? '' : input.replace(/\p{Cc}+/gu, ' ')
  return text === '' ? undefined : { do: 'type', text }
}
