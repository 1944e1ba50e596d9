import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { Keychain } from '../../src/store/secrets/keychain.js'
import { SecretStore, type SecretStoreOptions } from '../../src/store/secrets/secret-store.js'
import { temporaryWorkspace } from './daemon.js'

export interface StoreFolder {
  folder: string
  file: string
  keyFile: string
  /** Opens the store like another daemon after a restart. */
  open(options?: Partial<SecretStoreOptions>): SecretStore
}

/** A folder for a store, removed with the test. */
export function storeFolder(t: ExecutionContext): StoreFolder {
  const folder = join(temporaryWorkspace(t), '.secrets')
  return {
    folder,
    file: join(folder, 'secrets.json'),
    keyFile: join(folder, 'machine.key'),
    open: options =>
      new SecretStore({
        folder,
        clock: () => new Date('2030-01-01T00:00:00Z'),
        log: { warn: () => undefined },
        keychain: memoryKeychain(),
        ...options,
      }),
  }
}

/** An in-memory keychain. */
export function memoryKeychain(): Keychain & { entries: Map<string, string> } {
  const entries = new Map<string, string>()
  return {
    entries,
    get: async account => entries.get(account),
    set: async (account, text) => void entries.set(account, text),
    remove: async account => void entries.delete(account),
  }
}
