import { ClientError } from '../../client/http/client-error.js'
import { hasPipedInput } from '../shell/read-stdin.js'
import { readHidden } from './read-hidden.js'

/**
 * Asks about something that may be sealed. If the daemon has no key for it, reads one from a prompt or a pipe
 * and asks again.
 * @param ask gets the key that was given
 */
export async function withOpeningKey<T>(ask: (key: { key?: string }) => Promise<T>): Promise<T> {
  try {
    return await ask({})
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'backup_sealed') throw error
    return ask({ key: await readOpeningKey(error) })
  }
}

/** @param sealed thrown when nobody gives a key */
export async function readOpeningKey(sealed: Error): Promise<string> {
  const piped = hasPipedInput()
  return readHidden({ label: 'Recovery code of its workspace, or a secret key of age' }).catch(
    (error: unknown) => {
      throw piped ? sealed : error
    },
  )
}
