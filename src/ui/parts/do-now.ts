import { say, sayFailure } from './toast.js'

/** Runs an action that needs no confirmation, and reports success or failure. */
export async function doNow(act: () => Promise<unknown>, message: string, after: () => void): Promise<void> {
  await act().then(() => {
    say(message)
    after()
  }, sayFailure)
}
