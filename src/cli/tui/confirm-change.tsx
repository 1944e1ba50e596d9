import { answerOf } from './answer.js'
import { ConfirmScreen } from './confirm-screen.js'

/** Asks a person on this terminal. @returns false for no and for Ctrl-C. */
export function confirmChange(input: {
  question: string
  color: boolean
  isOffer?: boolean
}): Promise<boolean> {
  return answerOf(onEnd => <ConfirmScreen {...input} onEnd={onEnd} />)
}
