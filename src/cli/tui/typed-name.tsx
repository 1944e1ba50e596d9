import { Box, Text, useInput } from 'ink'
import { useEffect, useReducer } from 'react'
import { plainLine } from '../terminal/text.js'
import { tailOf, tint } from './drawing.js'
import { type KeyPress, keyPresses, typedAction } from './forget-keys.js'
import { useScreenSize } from './screen-size.js'

export interface TypedNameProps {
  /** What has to be typed. */
  name: string
  /** False draws without colour. */
  color: boolean
  /** Ends the screen around it. */
  onEnd: (isConfirmed: boolean) => void
}

interface Typed {
  text: string
  /** Undefined while it is asked. */
  answer?: boolean
  isWrong: boolean
}

/** Takes a yes that is a name: what goes for good takes more than a key. */
export function TypedName({ name, color, onEnd }: TypedNameProps) {
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
      <Text dimColor>
        {isWrong
          ? 'that is not its name · esc leaves, nothing is changed'
          : 'enter ends it · esc leaves, nothing is changed'}
      </Text>
    </Box>
  )
}

function reduceTyped(state: Typed, { input, key, name }: KeyPress & { name: string }): Typed {
  if (state.answer !== undefined) return state
  if (key.escape) return { ...state, answer: false }
  if (key.return) return state.text === name ? { ...state, answer: true } : { ...state, isWrong: true }
  const action = typedAction(input, key)
  if (!action) return state
  if (action.do === 'erase') return { text: [...state.text].slice(0, -1).join(''), isWrong: false }
  return { text: state.text + action.text, isWrong: false }
}
