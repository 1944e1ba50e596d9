import { render } from 'ink'
import { ConfirmScreen } from './confirm-screen.js'

/** Asks a person on this terminal. @returns false for no and for Ctrl-C. */
export async function confirmChange(input: {
  question: string
  color: boolean
  isOffer?: boolean
}): Promise<boolean> {
  const ended = { isConfirmed: false }
  const screen = render(
    <ConfirmScreen
      {...input}
      onEnd={isConfirmed => {
        ended.isConfirmed = isConfirmed
      }}
    />,
  )
  await screen.waitUntilExit()
  return ended.isConfirmed
}
