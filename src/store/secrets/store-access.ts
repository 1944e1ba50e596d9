import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../contract/ground/errors.js'
import type { OuterKey, StoreFile } from '../../contract/secrets/store-file.js'
import { replaceFile } from '../../lib/files/replace-file.js'
import type { Keychain } from './keychain.js'
import {
  deriveKey,
  firstKey,
  readFromKeychain,
  readIfThere,
  readKeyFile,
  shortOf,
  tidyKeyFile,
} from './outer-keys.js'
import {
  damagedStoreError,
  emptyDocument,
  type OpenDocument,
  openDocument,
  parseStoreFile,
  type Wrapping,
} from './store-document.js'

/** A verified store with its outer key. */
export interface OpenedStore extends OpenDocument {
  key: Buffer
}

export interface StoreAccessOptions {
  /** `.secrets` of the workspace. */
  folder: string
  keychain: Keychain
  /** Opens a store that is protected by a passphrase, as `unlock` does. */
  passphrase: string | undefined
  log: { warn(fields: object, message: string): void }
}

interface CachedPassphraseKey {
  salt: string
  key: Buffer
}

/**
 * Reads and writes the store's two files, cached until one of them changes. Callers take turns
 * (`secret-store.ts`); the daemon of the workspace is the only writer.
 */
export class StoreAccess {
  readonly keyFile: string
  readonly #file: string
  readonly #options: StoreAccessOptions
  #opened: OpenedStore | undefined
  #stamp = ''
  #held: CachedPassphraseKey | undefined

  constructor(options: StoreAccessOptions) {
    this.#options = options
    this.#file = join(options.folder, 'secrets.json')
    this.keyFile = join(options.folder, 'machine.key')
  }

  /** Returns the stored file without opening it; undefined when no secret was ever stored. */
  file(): StoreFile | undefined {
    const bytes = readIfThere(this.#file)
    if (bytes) return parseStoreFile(bytes.toString('utf8'), shortOf(this.#file))
    if (!this.#opened) return undefined
    throw damagedStoreError(
      `${shortOf(this.#file)} disappeared while the daemon runs (a restart would create an empty store)`,
    )
  }

  /**
   * @returns undefined when no secret was ever stored.
   * @throws AppError `secret_store_locked`, `secret_store_damaged`, `secret_store_unavailable`
   */
  async read(): Promise<OpenedStore | undefined> {
    const stamp = this.#stampNow()
    if (this.#opened && stamp === this.#stamp) return this.#opened
    const file = this.file()
    if (!file) return undefined
    const opened = await openDocument(file, await this.#keysFor(file.kek), shortOf(this.#file))
    if (!opened)
      throw file.kek.source === 'passphrase'
        ? locked()
        : damagedStoreError(`no key opens ${shortOf(this.#file)}`)
    this.#opened = opened
    this.#stamp = stamp
    return opened
  }

  /** Reads the store, or creates one under a key in a file. */
  async readOrBegin(): Promise<OpenedStore> {
    const known = await this.read()
    if (known) return known
    const wrapping = firstKey(this.keyFile)
    return { ...emptyDocument(wrapping), key: wrapping.key }
  }

  /** Removes files that were being written when the daemon was killed. */
  clean(): void {
    const { folder } = this.#options
    if (!existsSync(folder)) return
    for (const name of readdirSync(folder))
      if (name.endsWith('.tmp')) rmSync(join(folder, name), { force: true, maxRetries: 5 })
  }

  /** Atomically replaces the store. @throws node's error; the store is then unchanged. */
  write(next: OpenedStore): void {
    replaceFile(this.#file, JSON.stringify(next.file), 0o600)
    const { kek } = next.file
    if (kek.source === 'passphrase') this.#held = { salt: kek.salt, key: next.key }
    try {
      tidyKeyFile(this.keyFile, { kek, key: next.key })
    } catch (error) {
      // The store still opens: an extra key is harmless, and the next write removes it.
      this.#options.log.warn(
        { err: error },
        'an unused key of the secrets could not be removed from the key file',
      )
    }
    this.#opened = next
    this.#stamp = this.#stampNow()
  }

  /** Writes a re-encrypted store after verifying that it opens. @throws AppError `secret_store_damaged` */
  async writeVerified(next: OpenDocument, { key }: Wrapping): Promise<void> {
    const text = JSON.stringify(next.file)
    const opened = await openDocument(parseStoreFile(text, 'the new store'), [key], 'the new store')
    if (!opened) throw damagedStoreError('the new store does not open')
    this.write(opened)
  }

  /**
   * Keeps the key of a passphrase in memory until the daemon ends.
   * @returns false when it does not open the store. @throws AppError `conflict` for a store without a
   * passphrase
   */
  async unlock(passphrase: string): Promise<boolean> {
    const file = this.file()
    if (file?.kek.source !== 'passphrase')
      throw new AppError(
        'conflict',
        'the secret store is not protected by a passphrase: it needs no unlocking',
      )
    const key = await deriveKey(passphrase, file.kek)
    const opened = await openDocument(file, [key], shortOf(this.#file))
    if (opened) this.#held = { salt: file.kek.salt, key }
    return opened !== undefined
  }

  async #keysFor(kek: OuterKey): Promise<readonly Buffer[]> {
    switch (kek.source) {
      case 'keyfile': {
        const keys = readKeyFile(this.keyFile)
        if (keys) return keys
        throw damagedStoreError(`${shortOf(this.keyFile)}, the key of the secret store, is missing`)
      }
      case 'keychain':
        return [await readFromKeychain(this.#options.keychain, kek.id)]
      case 'passphrase': {
        const { passphrase } = this.#options
        if (this.#held?.salt !== kek.salt && passphrase !== undefined)
          this.#held = { salt: kek.salt, key: await deriveKey(passphrase, kek) }
        return this.#held ? [this.#held.key] : []
      }
    }
  }

  /** Changes whenever one of the two files was written, replaced or removed. */
  #stampNow(): string {
    return [this.#file, this.keyFile]
      .map(path => {
        const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
        return stats ? `${stats.ino}:${stats.size}:${stats.mtimeNs}` : '-'
      })
      .join(' ')
  }
}

function locked(): AppError {
  return new AppError(
    'secret_store_locked',
    'the secret store is locked: unlock it with memory secrets unlock',
  )
}
