import { Box, Text, useInput } from 'ink'
import { useReducer } from 'react'
import { plainLine } from '../text.js'
import { useAnswer } from './answer.js'
import { ConfirmScreen } from './confirm-screen.js'
import { tint } from './drawing.js'
import { type KeyPress, keyPresses, typedAction } from './forget-keys.js'

export interface RemovalScreenProps {
  name: string
  /** What would go, a line each. */
  lines: readonly string[]
  /** Whether the name has to be typed: what goes for good takes more than a key. */
  isTyped: boolean
  /** False draws without colour. */
  color: boolean
  /** Called once. */
  onEnd: (isConfirmed: boolean) => void
}

/** Shows what a removal of an agent takes, and asks: by a key, or by its name. */
export function RemovalScreen({ name, lines, isTyped, color, onEnd }: RemovalScreenProps) {
  return (
    <Box flexDirection="column">
      <Text bold>{`Remove agent ${plainLine(name)}`}</Text>
      {lines.map(line => (
        <Text key={line} {...(isTyped ? tint(color, 'red') : {})}>
          {`  ${line}`}
        </Text>
      ))}
      {isTyped ? (
        <TypedName name={name} color={color} onEnd={onEnd} />
      ) : (
        <ConfirmScreen question="Archive its memories?" color={color} isOffer onEnd={onEnd} />
      )}
    </Box>
  )
}

interface Typed {
  text: string
  /** Undefined while it is asked. */
  answer?: boolean
  isWrong: boolean
}

function TypedName({ name, color, onEnd }: Pick<RemovalScreenProps, 'name' | 'color' | 'onEnd'>) {
  const [{ text, answer, isWrong }, press] = useReducer(reduceTyped, { text: '', isWrong: false })

  useInput((input, key) => {
    for (const one of keyPresses(input, key)) press({ ...one, name })
  })

  useAnswer(answer, onEnd)

  if (answer !== undefined) return null
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text>
        <Text bold>{`Type ${plainLine(name)} to delete all of it for good: `}</Text>
        <Text {...tint(color, 'cyan')}>{text}</Text>
        <Text inverse> </Text>
      </Text>
      <Text {...tint(color, 'yellow')}>{isWrong ? 'That is not its name.' : ' '}</Text>
      <Text dimColor>enter delete · esc leave, nothing is removed</Text>
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
