import { Box, Text, useInput } from 'ink'
import { useState } from 'react'
import { answerOf, keyPresses, tint, useAnswer } from './screen.js'

interface ConfirmScreenProps {
  question: string
  /** False disables colour. */
  color: boolean
  /** An offer defaults to no, so Enter declines it. */
  isOffer?: boolean
  /** Called once. */
  onEnd: (isConfirmed: boolean) => void
}

/** Asks on this terminal. @returns false for no and for Ctrl-C. */
export function confirmChange(input: {
  question: string
  color: boolean
  isOffer?: boolean
}): Promise<boolean> {
  return answerOf(onEnd => <ConfirmScreen {...input} onEnd={onEnd} />)
}

/**
 * Asks once: y or Enter means yes, Enter means no for an offer; n, q and Esc mean no. If several keys arrive
 * together, only the first counts.
 */
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
      <Text dimColor>{isOffer ? 'y yes · n, Enter or Esc no' : 'y or Enter yes · n or Esc cancel'}</Text>
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
