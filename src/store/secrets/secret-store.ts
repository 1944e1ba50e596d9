import { AppError } from '../../contract/ground/errors.js'
import { ownPrefix } from '../../contract/secrets/names.js'
import { type KeySource, type StoreFile, storeFile } from '../../contract/secrets/store-file.js'
import { oneAtATime } from '../../lib/concurrency/one-at-a-time.js'
import { type Keychain, systemKeychain } from './keychain.js'
import { addKey, addToKeychain, deriveKey, fromPassphrase, removeFromKeychain } from './outer-keys.js'
import { type OpenedStore, StoreAccess } from './store-access.js'
import {
  entryOf,
  openDocument,
  reencrypt,
  replaceOuterKey,
  valueIn,
  type Wrapping,
  withEntries,
  withoutEntry,
} from './store-document.js'

export interface SecretStoreOptions {
  /** `.secrets` of the workspace. */
  folder: string
  clock: () => Date
  log: { warn(fields: object, message: string): void }
  /** Opens a store that is protected by a passphrase. */
  passphrase?: string
  /** Replaces the keychain of this machine. */
  keychain?: Keychain
}

/** Names in an import, compared with the store. */
export interface ImportComparison {
  added: string[]
  changed: string[]
  same: string[]
}

export interface StoreStatus {
  state: 'none' | 'open' | 'locked' | 'damaged' | 'unavailable'
  /** Location of the outer key; null while unknown. */
  source: KeySource | null
  /** Number of secrets; null while the store does not open. */
  secrets: number | null
  /** The problem, for the user. */
  problem: string | null
}

/** ISO 8601. */
export interface SecretTimes {
  createdAt: string
  updatedAt: string
}

/** Names whose values changed; `all` when any may have. */
export type ChangedSecrets = readonly string[] | 'all'

export type Protection = { source: 'keyfile' | 'keychain' } | { source: 'passphrase'; passphrase: string }

/** Limits of names and of total bytes, because each change rewrites the file. */
const maxSecrets = 1000
const maxTotalBytes = 1024 * 1024

/**
 * The encrypted store of a workspace (secrets.md#the-store). A store that does not verify is never treated as
 * empty: methods throw AppError `secret_store_locked`, `secret_store_damaged` or `secret_store_unavailable`
 * and write nothing. Methods run one after the other. The contract validates names and values.
 */
export class SecretStore {
  readonly #access: StoreAccess
  readonly #clock: () => Date
  readonly #keychain: Keychain
  readonly #log: SecretStoreOptions['log']
  readonly #inTurn = oneAtATime()
  readonly #listeners: ((changed: ChangedSecrets) => void)[] = []

  constructor({ folder, clock, log, passphrase, keychain = systemKeychain }: SecretStoreOptions) {
    this.#access = new StoreAccess({ folder, keychain, passphrase, log })
    this.#clock = clock
    this.#keychain = keychain
    this.#log = log
  }

  /** Returns the names in alphabetical order. */
  names(): Promise<string[]> {
    return this.#inTurn(async () => userNames((await this.#access.read())?.file).sort())
  }

  /** Returns when each secret was created and last set, by name. */
  times(): Promise<ReadonlyMap<string, SecretTimes>> {
    return this.#inTurn(async () => new Map(Object.entries((await this.#access.read())?.file.entries ?? {})))
  }

  /** Undefined for an unknown name. */
  get(name: string): Promise<string | undefined> {
    return this.#inTurn(async () => textIn(await this.#access.read(), name))
  }

  /** True if a store, even a locked one, has this entry. @throws AppError `secret_store_damaged` */
  holds(name: string): boolean {
    const file = this.#access.file()
    return file !== undefined && entryOf(file, name) !== undefined
  }

  /** Resolves when it is on disk. @throws AppError `payload_too_large` when the store is full. */
  set(name: string, value: string): Promise<void> {
    return this.#inTurn(async () => this.#write(await this.#access.readOrBegin(), [[name, value]]))
  }

  /** @returns false for an unknown name. */
  remove(name: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const current = await this.#access.read()
      if (!current || !entryOf(current.file, name)) return false
      this.#access.write({ ...withoutEntry(current, name), key: current.key })
      this.#tell([name])
      return true
    })
  }

  /** Compares names and values with the store. */
  compare(values: ReadonlyMap<string, string>): Promise<ImportComparison> {
    return this.#inTurn(async () => compare(await this.#access.read(), values))
  }

  /** Saves all in one write; existing names with other values only if `overwrite` is set. */
  merge(
    values: ReadonlyMap<string, string>,
    { overwrite }: { overwrite: boolean },
  ): Promise<ImportComparison> {
    return this.#inTurn(async () => {
      const comparison = compare(await this.#access.read(), values)
      const wanted = new Set([...comparison.added, ...(overwrite ? comparison.changed : [])])
      if (wanted.size > 0)
        this.#write(
          await this.#access.readOrBegin(),
          [...values].filter(([name]) => wanted.has(name)),
        )
      return comparison
    })
  }

  /** Replaces the outer key and re-encrypts everything, so the old key opens nothing in the new store. */
  protect(protection: Protection): Promise<void> {
    return this.#inTurn(async () => {
      const current = await this.#access.readOrBegin()
      const wrapping = await this.#newKey(protection, current)
      await this.#access.writeVerified(await reencrypt(current, wrapping), wrapping)
      await this.#forget(current)
    })
  }

  /**
   * Replaces the outer key, the inner one (which re-encrypts every entry), or both. Passphrases are replaced
   * with `protect`.
   * @returns the replaced keys. @throws AppError `conflict` when there is none to replace.
   */
  rotate(keys: 'outer' | 'inner' | 'both'): Promise<('outer' | 'inner')[]> {
    return this.#inTurn(async () => {
      const current = await this.#access.read()
      if (!current) throw new AppError('conflict', 'no secret is stored yet: nothing to rotate')
      const { kek } = current.file
      if (keys === 'outer' && kek.source === 'passphrase')
        throw new AppError(
          'conflict',
          'the outer key comes from a passphrase: set a new one with memory secrets protect passphrase',
        )
      const outer = keys !== 'inner' && kek.source !== 'passphrase'
      const wrapping = outer ? await this.#newKey({ source: kek.source }, current) : { kek, key: current.key }
      const next = keys === 'outer' ? replaceOuterKey(current, wrapping) : await reencrypt(current, wrapping)
      await this.#access.writeVerified(next, wrapping)
      if (outer) await this.#forget(current)
      return [...(outer ? ['outer' as const] : []), ...(keys === 'outer' ? [] : ['inner' as const])]
    })
  }

  /**
   * Keeps the passphrase's key until the daemon ends. @throws AppError `validation_failed` for a wrong one,
   * `conflict`
   */
  unlock(passphrase: string): Promise<void> {
    return this.#inTurn(async () => {
      if (!(await this.#access.unlock(passphrase)))
        throw new AppError('validation_failed', 'this passphrase does not open the secret store')
      this.#tell('all')
    })
  }

  /** Exports all secrets under new keys opened with a passphrase, so that the file can leave this machine. */
  export(passphrase: string): Promise<StoreFile> {
    return this.#inTurn(async () => {
      const current = await this.#access.read()
      if (!current) throw new AppError('conflict', 'no secret is stored yet: nothing to export')
      const { file } = await reencrypt(current, await fromPassphrase(passphrase))
      return {
        ...file,
        entries: Object.fromEntries(userNames(file).map(name => [name, file.entries[name]!])),
      }
    })
  }

  async status(): Promise<StoreStatus> {
    return this.#inTurn(async () => {
      try {
        const opened = await this.#access.read()
        if (!opened) return { state: 'none', source: null, secrets: 0, problem: null }
        const secrets = userNames(opened.file).length
        return { state: 'open', source: opened.file.kek.source, secrets, problem: null }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return { state: stateOf(error), source: this.#source(), secrets: null, problem: error.message }
      }
    })
  }

  /** Removes temporary files that a kill left; one may contain a key. */
  clean(): void {
    try {
      this.#access.clean()
    } catch (error) {
      this.#log.warn({ err: error }, 'leftover files beside the secret store could not be removed')
    }
  }

  /** Registers a listener for changed values and for unlocking. */
  onChange(listener: (changed: ChangedSecrets) => void): void {
    this.#listeners.push(listener)
  }

  #tell(changed: ChangedSecrets): void {
    for (const listener of this.#listeners) listener(changed)
  }

  #write(current: OpenedStore, values: readonly (readonly [string, string])[]): void {
    const now = this.#clock().toISOString()
    const next = withEntries(current, values, now)
    assertFits(next.file)
    this.#access.write({ ...next, key: current.key })
    this.#tell(values.map(([name]) => name))
  }

  #newKey(protection: Protection, { file, key }: OpenedStore): Promise<Wrapping> | Wrapping {
    if (protection.source === 'passphrase') return fromPassphrase(protection.passphrase)
    if (protection.source === 'keychain') return addToKeychain(this.#keychain)
    return addKey(this.#access.keyFile, file.kek.source === 'keyfile' ? key : undefined)
  }

  /** Removes an obsolete key from the keychain. */
  async #forget({ file: { kek } }: OpenedStore): Promise<void> {
    if (kek.source !== 'keychain') return
    await removeFromKeychain(this.#keychain, kek.id).catch((error: unknown) =>
      this.#log.warn({ err: error }, 'an unused key of the secrets could not be removed from the keychain'),
    )
  }

  #source(): KeySource | null {
    try {
      return this.#access.file()?.kek.source ?? null
    } catch {
      return null
    }
  }
}

/**
 * Returns the values of an export.
 * @throws AppError `validation_failed` for a wrong passphrase, and for a damaged file.
 */
export async function openExport(given: unknown, passphrase: string): Promise<Map<string, string>> {
  const { data: file } = storeFile.safeParse(given)
  if (file?.kek.source !== 'passphrase')
    throw new AppError(
      'validation_failed',
      'this file is not a secrets export: create one with memory secrets export',
    )
  const opened = await openDocument(file, [await deriveKey(passphrase, file.kek)], 'the export').catch(() => {
    throw new AppError('validation_failed', 'the export is damaged: nothing was imported')
  })
  if (!opened) throw new AppError('validation_failed', 'this passphrase does not open the export')
  return new Map(userNames(file).map(name => [name, valueIn(opened, name).toString('utf8')]))
}

function textIn(store: OpenedStore | undefined, name: string): string | undefined {
  return store && entryOf(store.file, name) ? valueIn(store, name).toString('utf8') : undefined
}

function compare(store: OpenedStore | undefined, values: ReadonlyMap<string, string>): ImportComparison {
  const comparison: ImportComparison = { added: [], changed: [], same: [] }
  for (const [name, value] of values) {
    const known = textIn(store, name)
    comparison[known === undefined ? 'added' : known === value ? 'same' : 'changed'].push(name)
  }
  return comparison
}

/** Returns the names in a store, without the daemon's own entries. */
function userNames(file: StoreFile | undefined): string[] {
  return Object.keys(file?.entries ?? {}).filter(name => !name.startsWith(ownPrefix))
}

/** @throws AppError `payload_too_large` */
function assertFits({ entries }: StoreFile): void {
  const sealed = Object.values(entries)
  if (sealed.length > maxSecrets)
    throw new AppError(
      'payload_too_large',
      `a secret store has at most ${maxSecrets} secrets; delete some first`,
    )
  // Four characters of base64 are three bytes.
  const bytes = sealed.reduce((sum, { ct }) => sum + (ct.length * 3) / 4, 0)
  if (bytes > maxTotalBytes)
    throw new AppError(
      'payload_too_large',
      `the values of a secret store have at most ${maxTotalBytes} bytes in total; delete some first`,
    )
}

function stateOf({ code }: AppError): StoreStatus['state'] {
  if (code === 'secret_store_locked') return 'locked'
  return code === 'secret_store_unavailable' ? 'unavailable' : 'damaged'
}
