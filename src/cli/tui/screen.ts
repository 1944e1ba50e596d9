import { Box, type Key, render, useApp, useStdout } from 'ink'
import { createElement, type ReactNode, useEffect, useRef, useState } from 'react'
import { displayWidth } from '../terminal/text.js'

export interface ScreenSize {
  columns: number
  rows: number
}

/** Moves to the upper left corner and clears what is visible; what was scrolled away stays. */
const clearScreen = '\u001B[H\u001B[2J'

/**
 * Returns the size of the terminal and follows changes. A narrower terminal breaks drawn lines into several,
 * which Ink does not count when it draws over them: they are cleared before it draws.
 */
export function useScreenSize(): ScreenSize {
  const { stdout } = useStdout()
  const [size, setSize] = useState(() => sizeOf(stdout))
  const columns = useRef(size.columns)
  useEffect(() => {
    const follow = () => {
      const next = sizeOf(stdout)
      if (next.columns < columns.current) stdout.write(clearScreen)
      columns.current = next.columns
      setSize(next)
    }
    // Before Ink's own listener, which draws.
    stdout.prependListener('resize', follow)
    return () => {
      stdout.off('resize', follow)
    }
  }, [stdout])
  return size
}

/**
 * A column of this width. When the terminal gets narrower, Ink first draws the old screen in it; there the
 * column shrinks, because lines that the terminal breaks would not be erased.
 */
export function Column({ width, children }: { width: number; children: ReactNode }) {
  return createElement(Box, null, createElement(Box, { flexDirection: 'column', width }, children))
}

function sizeOf({ columns, rows }: NodeJS.WriteStream): ScreenSize {
  return { columns: columns || 80, rows: rows || 24 }
}

/** Returns the colour props of an Ink text; empty if colours are disabled. */
export function tint(color: boolean, name: 'cyan' | 'green' | 'red' | 'yellow') {
  return color ? { color: name } : {}
}

/** Returns the end of a typed text, so that the cursor stays visible. */
export function tailOf(text: string, width: number): string {
  const parts = [...text]
  while (displayWidth(parts.join('')) > width) parts.shift()
  return parts.join('')
}

/** Keys typed before a question are waiting by then; nobody reads and answers a question in this time. */
const typedAheadMs = 100

type Keyboard = NodeJS.ReadableStream & Pick<NodeJS.ReadStream, 'isTTY' | 'setRawMode'>

/** Throws away what was typed before a question, so that it cannot answer it. */
export async function dropTypedAhead(stdin: Keyboard = process.stdin): Promise<void> {
  if (!stdin.isTTY) return
  const drop = () => {
    while (stdin.read() !== null);
  }
  // Otherwise the terminal holds back a line that has no Enter yet.
  stdin.setRawMode(true)
  stdin.on('readable', drop)
  await new Promise(resolve => setTimeout(resolve, typedAheadMs))
  stdin.off('readable', drop)
}

/**
 * Shows a yes/no screen. Keys typed before do not count. @param screen calls its callback once.
 * @returns false for no and for Ctrl-C.
 */
export async function answerOf(screen: (onEnd: (isYes: boolean) => void) => ReactNode): Promise<boolean> {
  await dropTypedAhead()
  let saidYes = false
  const shown = render(
    screen(isYes => {
      saidYes = isYes
    }),
  )
  await shown.waitUntilExit()
  return saidYes
}

/** Ends the screen once there is an answer. */
export function useAnswer<Answer>(answer: Answer | undefined, onEnd: (answer: Answer) => void): void {
  const { exit } = useApp()
  useEffect(() => {
    if (answer === undefined) return
    onEnd(answer)
    exit()
  }, [answer, onEnd, exit])
}

export interface KeyPress {
  input: string
  key: Partial<Key>
}

/** Splits keys that arrive in one read (fast typing, a slow machine, a paste) into single keys. */
export function keyPresses(input: string, key: Partial<Key>): KeyPress[] {
  const characters = [...input]
  const isOneKey = characters.length <= 1 || Object.values(key).some(flag => flag === true)
  if (isOneKey) return [{ input, key }]
  return characters.map(character =>
    character === '\r' ? { input: '', key: { return: true } } : { input: character, key: {} },
  )
}

/** Returns the effect of a key on a line of typed text. */
export function typedAction(
  input: string,
  key: Partial<Key>,
): { do: 'type'; text: string } | { do: 'erase' } | undefined {
  if (key.backspace || key.delete) return { do: 'erase' }
  const text = key.ctrl || key.meta ? '' : input.replace(/\p{Cc}+/gu, ' ')
  return text === '' ? undefined : { do: 'type', text }
}
