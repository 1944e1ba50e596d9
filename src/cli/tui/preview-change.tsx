import { answerOf } from './answer.js'
import { PreviewScreen } from './preview-screen.js'

/** Shows what would be done and asks a person on this terminal. @returns false for no and for Ctrl-C. */
export function previewChange(input: {
  lines: readonly string[]
  question: string
  typed?: string | undefined
  color: boolean
}): Promise<boolean> {
  return answerOf(onEnd => <PreviewScreen {...input} onEnd={onEnd} />)
}
