import { Box, render, Text, useApp, useInput } from 'ink'
import { useEffect, useReducer } from 'react'
import { plainLine, wrapText } from '../terminal/text.js'
import { type KeyPress, keyPresses, tailOf, tint, typedAction, useScreenSize } from './screen.js'

/** A question with one line of text as its answer. */
export interface Question {
  label: string
  hint: string
  /** Initial text of the input line. */
  initial: string
  /** Returns why a text is invalid; undefined if it is valid. */
  fault(text: string): string | undefined
  /** Explains a valid answer while it is typed. */
  explain?(text: string): string
}

interface QuestionsScreenProps {
  questions: readonly Question[]
  /** False disables colour. */
  color: boolean
  /** Called once; undefined if the user cancels. */
  onEnd: (answers: readonly string[] | undefined) => void
}

interface QuestionsState {
  answers: readonly string[]
  text: string
  /** Enter was pressed with an invalid text. */
  isRefused: boolean
  hasLeft: boolean
}

interface OpenProps {
  question: Question
  state: QuestionsState
  color: boolean
  columns: number
}

/** Asks questions on this terminal, one after another. @returns undefined if the user cancels. */
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

/** Shows questions below the answered ones: Enter continues, Ctrl-U clears the line, Esc cancels. */
export function QuestionsScreen({ questions, color, onEnd }: QuestionsScreenProps) {
  const [state, press] = useReducer(reduceQuestions, {
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

  const question = questions[state.answers.length]
  return (
    <Box flexDirection="column">
      {state.answers.map((answer, at) => (
        <Text key={questions[at]?.label} wrap="truncate">
          <Text dimColor>{`${questions[at]?.label}: `}</Text>
          {plainLine(answer) || '-'}
        </Text>
      ))}
      {question && !state.hasLeft && (
        <Open question={question} state={state} color={color} columns={columns} />
      )}
    </Box>
  )
}

function Open({ question, state, color, columns }: OpenProps) {
  const { label, hint, fault, explain } = question
  const why = fault(state.text)
  const feedback = why === undefined ? (explain?.(state.text) ?? '') : state.isRefused ? why : ''
  const isFault = why !== undefined && state.isRefused
  return (
    <Box flexDirection="column">
      <Text>
        <Text bold>{`${label}: `}</Text>
        <Text {...tint(color, 'cyan')}>{tailOf(state.text, Math.max(1, columns - label.length - 4))}</Text>
        <Text inverse> </Text>
      </Text>
      <Text {...tint(color, isFault ? 'red' : 'green')}>
        {wrapText(feedback || ' ', columns - 1).join('\n')}
      </Text>
      <Text dimColor>{wrapText(hint, columns - 1).join('\n')}</Text>
      <Text dimColor>Enter next · Ctrl-U clear · Esc cancel</Text>
    </Box>
  )
}

function reduceQuestions(
  state: QuestionsState,
  { input, key, questions }: KeyPress & { questions: readonly Question[] },
): QuestionsState {
  const question = questions[state.answers.length]
  if (!question || state.hasLeft) return state
  if (key.escape) return { ...state, hasLeft: true }
  if (key.ctrl && input === 'u') return { ...state, text: '', isRefused: false }
  if (key.return) {
    if (question.fault(state.text) !== undefined) return { ...state, isRefused: true }
    const answers = [...state.answers, state.text]
    return { ...state, answers, text: questions[answers.length]?.initial ?? '', isRefused: false }
  }
  const action = typedAction(input, key)
  if (!action) return state
  const text = action.do === 'erase' ? [...state.text].slice(0, -1).join('') : state.text + action.text
  return { ...state, text, isRefused: false }
}
