import { Box, render, Text, useApp, useInput } from 'ink'
import { useEffect, useReducer } from 'react'
import { plainLine, wrapText } from '../terminal/text.js'
import { type KeyPress, keyPresses, tailOf, tint, typedAction, useScreenSize } from './screen.js'

/** One line that a person is asked for. */
export interface Question {
  label: string
  hint: string
  /** Stands there to be changed. */
  initial: string
  /** Why a text is no answer; undefined when it is one. */
  fault(text: string): string | undefined
  /** What a sound answer means, told while it is typed. */
  tell?(text: string): string
}

interface QuestionsScreenProps {
  questions: readonly Question[]
  /** False draws without colour. */
  color: boolean
  /** Called once; undefined when the person leaves. */
  onEnd: (answers: readonly string[] | undefined) => void
}

interface Asked {
  answers: readonly string[]
  text: string
  /** Enter was pressed on what is no answer. */
  isRefused: boolean
  hasLeft: boolean
}

interface OpenProps {
  asked: Question
  state: Asked
  color: boolean
  columns: number
}

/** Asks a person on this terminal, one after the other. @returns undefined when they leave. */
export async function askQuestions(input: {
  questions: readonly Question[]
  color: boolean
}): Promise<readonly string[] | undefined> {
  const ended: { answers?: readonly string[] | undefined } = {}
  const screen = render(
    <QuestionsScreen
      {...input}
      onEnd={answers => {
        ended.answers = answers
      }}
    />,
  )
  await screen.waitUntilExit()
  return ended.answers
}

/** Questions one below the other, the answered ones above: enter goes on, ctrl-u empties the line, esc leaves. */
export function QuestionsScreen({ questions, color, onEnd }: QuestionsScreenProps) {
  const [state, press] = useReducer(reduceAsked, {
    answers: [],
    text: questions[0]?.initial ?? '',
    isRefused: false,
    hasLeft: false,
  })
  const { exit } = useApp()
  const { columns } = useScreenSize()
  const isOver = state.hasLeft || state.answers.length === questions.length

  useInput(
    (input, key) => {
      for (const one of keyPresses(input, key)) press({ ...one, questions })
    },
    { isActive: !isOver },
  )
  useEffect(() => {
    if (!isOver) return
    onEnd(state.hasLeft ? undefined : state.answers)
    exit()
  }, [isOver, state, onEnd, exit])

  const asked = questions[state.answers.length]
  return (
    <Box flexDirection="column">
      {state.answers.map((answer, at) => (
        <Text key={questions[at]?.label} wrap="truncate">
          <Text dimColor>{`${questions[at]?.label}: `}</Text>
          {plainLine(answer) || '-'}
        </Text>
      ))}
      {asked && !state.hasLeft && <Open asked={asked} state={state} color={color} columns={columns} />}
    </Box>
  )
}

function Open({ asked, state, color, columns }: OpenProps) {
  const { label, hint, fault, tell } = asked
  const why = fault(state.text)
  const told = why === undefined ? (tell?.(state.text) ?? '') : state.isRefused ? why : ''
  const isFault = why !== undefined && state.isRefused
  return (
    <Box flexDirection="column">
      <Text>
        <Text bold>{`${label}: `}</Text>
        <Text {...tint(color, 'cyan')}>{tailOf(state.text, Math.max(1, columns - label.length - 4))}</Text>
        <Text inverse> </Text>
      </Text>
      <Text {...tint(color, isFault ? 'red' : 'green')}>{wrapText(told || ' ', columns - 1).join('\n')}</Text>
      <Text dimColor>{wrapText(hint, columns - 1).join('\n')}</Text>
      <Text dimColor>enter goes on · ctrl-u empties the line · esc leaves, nothing is changed</Text>
    </Box>
  )
}

function reduceAsked(
  state: Asked,
  { input, key, questions }: KeyPress & { questions: readonly Question[] },
): Asked {
  const asked = questions[state.answers.length]
  if (!asked || state.hasLeft) return state
  if (key.escape) return { ...state, hasLeft: true }
  if (key.ctrl && input === 'u') return { ...state, text: '', isRefused: false }
  if (key.return) {
    if (asked.fault(state.text) !== undefined) return { ...state, isRefused: true }
    const answers = [...state.answers, state.text]
    return { ...state, answers, text: questions[answers.length]?.initial ?? '', isRefused: false }
  }
  const action = typedAction(input, key)
  if (!action) return state
  const text = action.do === 'erase' ? [...state.text].slice(0, -1).join('') : state.text + action.text
  return { ...state, text, isRefused: false }
}
