import { Box, Text, useInput } from 'ink'
import { useState } from 'react'
import { answerOf, keyPresses, tint, useAnswer } from './screen.js'

interface ConfirmScreenProps {
  question: string
  /** False disables colour. */
  color: boolean
  /** The name of the text that d shows. Without one, d is ignored. */
  details?: string | undefined
  /** Called for d, before `onEnd`. */
  onDetails?: () => void
  /** Called once. */
  onEnd: (isConfirmed: boolean) => void
}

/** Asks on this terminal. @returns `no` for Ctrl-C too, and `details` if the user wants to see them first. */
export async function confirmChange(input: {
  question: string
  color: boolean
  details?: string | undefined
}): Promise<'yes' | 'no' | 'details'> {
  let wantsDetails = false
  const onDetails = () => {
    wantsDetails = true
  }
  const isYes = await answerOf(onEnd => <ConfirmScreen {...input} onDetails={onDetails} onEnd={onEnd} />)
  if (wantsDetails) return 'details'
  return isYes ? 'yes' : 'no'
}

/**
 * Asks once: only y means yes, because Enter is pressed too easily; n, q, Enter and Esc mean no. If several
 * keys arrive together, only the first counts.
 */
export function ConfirmScreen({ question, color, details, onDetails, onEnd }: ConfirmScreenProps) {
  const [answer, setAnswer] = useState<boolean>()

  useInput((input, key) => {
    const [first] = keyPresses(input, key)
    const meant = first && choiceOf(first)
    if (answer !== undefined || meant === undefined) return
    if (meant !== 'details') setAnswer(meant)
    else if (details !== undefined) {
      onDetails?.()
      setAnswer(false)
    }
  })

  useAnswer(answer, onEnd)

  if (answer !== undefined) return null
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text bold {...tint(color, 'green')}>
        {`${question} y / n${details === undefined ? '' : ' / d'}`}
      </Text>
      <Text dimColor>
        {`y yes · n, Enter or Esc no${details === undefined ? '' : ` · d shows ${details}`}`}
      </Text>
    </Box>
  )
}

function choiceOf({ input, key }: ReturnType<typeof keyPresses>[number]): boolean | 'details' | undefined {
  if (key.escape || key.return || /^[nq]$/iu.test(input)) return false
  if (/^d$/iu.test(input)) return 'details'
  return /^y$/iu.test(input) ? true : undefined
}
