import { Box, Text, useInput } from 'ink'
import { useEffect, useReducer, useState } from 'react'
import { plainLine, wrapBelow } from '../terminal/text.js'
import {
  answerOf,
  type KeyPress,
  keyPresses,
  tailOf,
  tint,
  typedAction,
  useAnswer,
  useScreenSize,
} from './screen.js'

interface TypedNameProps {
  /** Text to type. */
  name: string
  /** False disables colour. */
  color: boolean
  /** Ends the surrounding screen. */
  onEnd: (isConfirmed: boolean) => void
}

interface NameInputState {
  text: string
  /** Undefined until the user decides. */
  answer?: boolean
  isWrong: boolean
}

interface PreviewScreenProps {
  /** Planned changes, one per line; scrollable if they exceed the screen. */
  lines: readonly string[]
  question: string
  /** Text to type instead of a y. */
  typed?: string | undefined
  /** False disables colour. */
  color: boolean
  /** Called once. */
  onEnd: (isConfirmed: boolean) => void
}

/** Rows outside the list: margins, question, input, keys, count. */
const frameRows = 6

type Press = ReturnType<typeof keyPresses>[number]

/** Shows planned changes and asks on this terminal. @returns false for no and for Ctrl-C. */
export function previewChange(input: {
  lines: readonly string[]
  question: string
  typed?: string | undefined
  color: boolean
}): Promise<boolean> {
  return answerOf(onEnd => <PreviewScreen {...input} onEnd={onEnd} />)
}

/**
 * Shows a planned removal and asks once: y means yes; n, q, Enter and Esc mean no. With `typed` only that
 * text and Enter mean yes.
 */
export function PreviewScreen({ lines, question, typed, color, onEnd }: PreviewScreenProps) {
  const [answer, setAnswer] = useState<boolean>()
  const [top, setTop] = useState(0)
  const { columns, rows } = useScreenSize()
  const drawn = lines.flatMap(line => wrapBelow(line, columns))
  const shown = Math.max(1, rows - frameRows)
  const last = Math.max(0, drawn.length - shown)

  useInput((input, key) => {
    for (const press of keyPresses(input, key)) {
      const isText = typed !== undefined && press.input !== ''
      const by = isText ? 0 : stepOf(press, shown)
      if (by !== 0) setTop(current => Math.min(last, Math.max(0, current + by)))
      const meant = typed === undefined ? choiceOf(press) : undefined
      if (meant !== undefined) setAnswer(known => known ?? meant)
    }
  })

  useAnswer(answer, onEnd)

  if (answer !== undefined) return null
  return (
    <Box flexDirection="column">
      {drawn.slice(top, top + shown).map((line, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of a screen have no other name
        <Text key={position}>{line}</Text>
      ))}
      {last > 0 && (
        <Text dimColor>{`${top + 1} to ${Math.min(top + shown, drawn.length)} of ${drawn.length}`}</Text>
      )}
      <Box flexDirection="column" marginTop={1}>
        <Text bold {...tint(color, 'yellow')}>
          {typed === undefined ? `${question} y / n` : question}
        </Text>
        {typed === undefined ? (
          <Text dimColor>{`y yes · n, Enter or Esc cancel${last > 0 ? ' · ↑↓ scroll' : ''}`}</Text>
        ) : (
          <TypedName name={typed} color={color} onEnd={setAnswer} />
        )}
      </Box>
    </Box>
  )
}

function stepOf({ input, key }: Press, page: number): number {
  if (key.upArrow || input === 'k') return -1
  if (key.downArrow || input === 'j') return 1
  if (key.pageUp) return -page
  return key.pageDown || input === ' ' ? page : 0
}

function choiceOf({ input, key }: Press): boolean | undefined {
  if (key.escape || key.return || /^[nq]$/iu.test(input)) return false
  return /^y$/iu.test(input) ? true : undefined
}

/** Asks for a name as confirmation of a permanent removal, since a single key is too easy. */
function TypedName({ name, color, onEnd }: TypedNameProps) {
  const [{ text, answer, isWrong }, press] = useReducer(reduceTyped, { text: '', isWrong: false })
  const { columns } = useScreenSize()

  useInput((input, key) => {
    for (const one of keyPresses(input, key)) press({ ...one, name })
  })

  useEffect(() => {
    if (answer !== undefined) onEnd(answer)
  }, [answer, onEnd])

  const label = `Type ${plainLine(name)}: `
  return (
    <Box flexDirection="column">
      <Text>
        <Text bold>{label}</Text>
        <Text {...tint(color, 'cyan')}>{tailOf(text, Math.max(1, columns - label.length - 1))}</Text>
        <Text inverse> </Text>
      </Text>
      <Text dimColor>{isWrong ? 'the text does not match · Esc cancel' : 'Enter confirm · Esc cancel'}</Text>
    </Box>
  )
}

function reduceTyped(
  state: NameInputState,
  { input, key, name }: KeyPress & { name: string },
): NameInputState {
  if (state.answer !== undefined) return state
  if (key.escape) return { ...state, answer: false }
  if (key.return) return state.text === name ? { ...state, answer: true } : { ...state, isWrong: true }
  const action = typedAction(input, key)
  if (!action) return state
  if (action.do === 'erase') return { text: [...state.text].slice(0, -1).join(''), isWrong: false }
  return { text: state.text + action.text, isWrong: false }
}
