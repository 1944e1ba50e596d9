import { Box, render, Text, useInput } from 'ink'
import { useState } from 'react'
import { keyPresses, tint, useAnswer } from './screen.js'

/** `details`: the user wants to see more first. */
export type StepAnswer = 'yes' | 'no' | 'details'

interface StepScreenProps {
  question: string
  /** Name of the details that the key d shows; absent if there are none. */
  details?: string | undefined
  /** False disables colour. */
  color: boolean
  /** Called once. */
  onEnd: (answer: StepAnswer) => void
}

/** Asks about one step of several. @returns undefined for Ctrl-C, which ends all of them. */
export async function askStep(input: Omit<StepScreenProps, 'onEnd'>): Promise<StepAnswer | undefined> {
  const ended: { answer?: StepAnswer } = {}
  const shown = render(
    <StepScreen
      {...input}
      onEnd={answer => {
        ended.answer = answer
      }}
    />,
  )
  await shown.waitUntilExit()
  return ended.answer
}

/**
 * Asks once: y means yes; n, q and Esc mean no. Enter means nothing, because people who type "y, Enter" would
 * otherwise answer the next question too.
 */
export function StepScreen({ question, details, color, onEnd }: StepScreenProps) {
  const [answer, setAnswer] = useState<StepAnswer>()

  useInput((input, key) => {
    for (const press of keyPresses(input, key)) {
      const meant = choiceOf(press, details !== undefined)
      if (meant !== undefined) setAnswer(known => known ?? meant)
    }
  })

  useAnswer(answer, onEnd)

  if (answer !== undefined) return null
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text bold {...tint(color, 'yellow')}>
        {`${question} y / n`}
      </Text>
      <Text dimColor>{`y yes · n skip${details === undefined ? '' : ` · d ${details}`} · Ctrl-C stop`}</Text>
    </Box>
  )
}

function choiceOf(
  { input, key }: ReturnType<typeof keyPresses>[number],
  hasDetails: boolean,
): StepAnswer | undefined {
  if (key.escape || /^[nq]$/iu.test(input)) return 'no'
  if (/^y$/iu.test(input)) return 'yes'
  return hasDetails && /^d$/iu.test(input) ? 'details' : undefined
}
