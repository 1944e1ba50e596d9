import { render } from 'ink'
import { PreviewScreen } from './preview-screen.js'

/** Shows what would be done and asks a person on this terminal. @returns false for no and for Ctrl-C. */
export async function previewChange(input: {
  lines: readonly string[]
  question: string
  color: boolean
}): Promise<boolean> {
  const ended = { isConfirmed: false }
  const screen = render(
    <PreviewScreen
      {...input}
      onEnd={isConfirmed => {
        ended.isConfirmed = isConfirmed
      }}
    />,
  )
  await screen.waitUntilExit()
  return ended.isConfirmed
}
