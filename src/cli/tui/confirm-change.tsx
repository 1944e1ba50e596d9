import { Box, Text, useInput } from 'ink'
import { useState } from 'react'
import { answerOf, keyPresses, tint, useAnswer } from './screen.js'

interface ConfirmScreenProps {
  /** One line. */
  question: string
  /** False draws without colour. */
  color: boolean
  /** An offer defaults to no: enter alone declines it. */
  isOffer?: boolean
  /** Called once. */
  onEnd: (isConfirmed: boolean) => void
}

/** Asks a person on this terminal. @returns false for no and for Ctrl-C. */
export function confirmChange(input: {
  question: string
  color: boolean
  isOffer?: boolean
}): Promise<boolean> {
  return answerOf(onEnd => <ConfirmScreen {...input} onEnd={onEnd} />)
}

/** Asks once: y or enter is yes, enter no for an offer; n, q and esc are no. Of keys that come together only the first one counts. */
export function ConfirmScreen({ question, color, isOffer = false, onEnd }: ConfirmScreenProps) {
  const [answer, setAnswer] = useState<boolean>()

  useInput((input, key) => {
    const [first] = keyPresses(input, key)
    const meant = first && choiceOf(first, isOffer)
    if (meant !== undefined) setAnswer(known => known ?? meant)
  })

  useAnswer(answer, onEnd)

  if (answer !== undefined) return null
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text bold {...tint(color, 'green')}>
        {`${question} y / n`}
      </Text>
      <Text dimColor>
        {isOffer ? 'y yes · n, enter or esc no' : 'y or enter yes · n or esc no, nothing is changed'}
      </Text>
    </Box>
  )
}

function choiceOf(
  { input, key }: ReturnType<typeof keyPresses>[number],
  isOffer: boolean,
): boolean | undefined {
  if (key.escape || /^[nq]$/iu.test(input)) return false
  if (key.return) return !isOffer
  return /^y$/iu.test(input) ? true : undefined
}
