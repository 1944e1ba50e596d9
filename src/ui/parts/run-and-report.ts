import { showFailure, showMessage } from './toast.js'

/** Runs an action that needs no confirmation, and reports success or failure. */
export async function runAndReport(
  act: () => Promise<unknown>,
  message: string,
  after: () => void,
): Promise<void> {
  await act().then(() => {
    showMessage(message)
    after()
  }, showFailure)
}
