import { render } from 'ink'
import { RemovalScreen } from './removal-screen.js'

/** Shows what would go and asks a person on this terminal. @returns false for no and for Ctrl-C. */
export async function confirmRemoval(input: {
  name: string
  lines: readonly string[]
  isTyped: boolean
  color: boolean
}): Promise<boolean> {
  const ended = { isConfirmed: false }
  const screen = render(
    <RemovalScreen
      {...input}
      onEnd={isConfirmed => {
        ended.isConfirmed = isConfirmed
      }}
    />,
  )
  await screen.waitUntilExit()
  return ended.isConfirmed
}
