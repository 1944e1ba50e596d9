import { say, sayFailure } from './toast.js'

/** Does what needs no confirmation, and says that it is done or what failed. */
export async function doNow(act: () => Promise<unknown>, said: string, after: () => void): Promise<void> {
  await act().then(() => {
    say(said)
    after()
  }, sayFailure)
}
