import { AppError } from '../../contract/ground/errors.js'
import { lazy } from '../../lib/concurrency/lazy.js'
import { within } from '../../lib/concurrency/stop-waiting.js'

/** The functions of the system's keychain that the secret store needs. */
export interface Keychain {
  /** Undefined when it has no entry of that name. @throws AppError `secret_store_unavailable` */
  get(account: string): Promise<string | undefined>
  set(account: string, text: string): Promise<void>
  remove(account: string): Promise<void>
}

const service = 'memory-service'
/** A keychain may wait for a prompt that nobody sees. */
const usualMs = 5000
/**
 * On a Mac a person at the screen is asked whenever Node was replaced, since access depends on its signature.
 */
const personMs = 60_000

type Entry = Pick<
  InstanceType<typeof import('@napi-rs/keyring').AsyncEntry>,
  'getPassword' | 'setPassword' | 'deletePassword'
>

export interface KeychainOptions {
  /** Loads the library and makes an entry. */
  entryOf(account: string): Promise<Entry>
  /** True on a Mac where a person can answer a dialog. */
  isAsked(): Promise<boolean>
  usualMs: number
  personMs: number
}

/** The keychain of this machine; the first call loads its library. */
export const systemKeychain: Keychain = createKeychain({
  entryOf,
  isAsked: lazy(hasScreenOfMac),
  usualMs,
  personMs,
})

export function createKeychain(options: KeychainOptions): Keychain {
  return {
    get: async account =>
      (await ask(options, account, (entry, signal) => entry.getPassword(signal))) ?? undefined,
    set: (account, text) => ask(options, account, (entry, signal) => entry.setPassword(text, signal)),
    remove: async account =>
      void (await ask(options, account, (entry, signal) => entry.deletePassword(signal))),
  }
}

async function entryOf(account: string): Promise<Entry> {
  const { AsyncEntry } = await import('@napi-rs/keyring')
  // By default the library uses the kernel's keyring where no desktop runs, which a reboot empties.
  return new AsyncEntry(service, account, { linux: { store: 'secret-service' } })
}

/** Returns true in the session of a person at a Mac; over SSH the manager is `Background`. */
async function hasScreenOfMac(): Promise<boolean> {
  if (process.platform !== 'darwin') return false
  const { execFile } = await import('node:child_process')
  return new Promise(resolve => {
    execFile('/bin/launchctl', ['managername'], { timeout: 1000, windowsHide: true }, (error, output) =>
      resolve(!error && output.trim() === 'Aqua'),
    )
  })
}

async function ask<T>(
  { entryOf, isAsked, usualMs, personMs }: KeychainOptions,
  account: string,
  call: (entry: Entry, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const isPerson = await isAsked()
  const deadlineMs = isPerson ? personMs : usualMs
  const late = `no answer within ${deadlineMs} ms${isPerson ? '; macOS may be asking you' : ''}`
  try {
    const entry = await entryOf(account)
    return await within(call(entry, stop.signal), deadlineMs, () => new Error(late))
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
