import { AppError } from '../../contract/ground/errors.js'
import { within } from '../../lib/concurrency/stop-waiting.js'

/** The functions of the system's keychain that the secret store needs. */
export interface Keychain {
  /** Undefined when it has no entry of that name. @throws AppError `secret_store_unavailable` */
  get(account: string): Promise<string | undefined>
  set(account: string, text: string): Promise<void>
  remove(account: string): Promise<void>
}

const service = 'memory-service'
/** A keychain may wait for a prompt that the user does not see. */
const deadlineMs = 5000

/** The keychain of this machine; the first call loads its library. */
export const systemKeychain: Keychain = {
  get: async account => (await ask(account, (entry, signal) => entry.getPassword(signal))) ?? undefined,
  set: (account, text) => ask(account, (entry, signal) => entry.setPassword(text, signal)),
  remove: async account => void (await ask(account, (entry, signal) => entry.deletePassword(signal))),
}

type Entry = InstanceType<typeof import('@napi-rs/keyring').AsyncEntry>

async function ask<T>(account: string, call: (entry: Entry, signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring')
    // By default the library uses the kernel's keyring where no desktop runs, which a reboot empties.
    const entry = new AsyncEntry(service, account, { linux: { store: 'secret-service' } })
    return await within(
      call(entry, stop.signal),
      deadlineMs,
      () => new Error(`no answer within ${deadlineMs} ms`),
    )
  } catch (cause) {
    throw new AppError(
      'secret_store_unavailable',
      `the keychain of this machine does not answer (${reasonOf(cause)}); unlock it and try again: the key stays where it is`,
      undefined,
      { cause },
    )
  } finally {
    stop.abort()
  }
}

function reasonOf(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
    ? 'the optional package @napi-rs/keyring is not installed'
    : String(message).split('\n')[0]!.slice(0, 200)
}
