import { answerOf } from './answer.js'
import { RemovalScreen } from './removal-screen.js'

/** Shows what would go and asks a person on this terminal. @returns false for no and for Ctrl-C. */
export function confirmRemoval(input: {
  name: string
  lines: readonly string[]
  isTyped: boolean
  color: boolean
}): Promise<boolean> {
  return answerOf(onEnd => <RemovalScreen {...input} onEnd={onEnd} />)
}
