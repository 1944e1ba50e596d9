import { randomBytes, scrypt } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { AppError } from '../../contract/ground/errors.js'
import type { OuterKey } from '../../contract/secrets/store-file.js'
import { replaceFile } from '../../lib/files/replace-file.js'
import type { Keychain } from './keychain.js'
import { damagedStoreError, keyBytes, type Wrapping } from './store-document.js'

/** Cost of deriving a key from a passphrase: 128 MiB and about half a second. */
const cost = { N: 2 ** 17, r: 8, p: 1 } as const

type PassphraseKey = Extract<OuterKey, { source: 'passphrase' }>

/** Derives the key in the thread pool, after normalizing characters that keyboards compose differently. */
export function deriveKey(passphrase: string, { salt, N, r, p }: PassphraseKey): Promise<Buffer> {
  const maxmem = 256 * N * r
  return new Promise((resolve, reject) =>
    scrypt(
      passphrase.normalize('NFC'),
      Buffer.from(salt, 'base64'),
      keyBytes,
      { N, r, p, maxmem },
      (error, key) => (error ? reject(error) : resolve(key)),
    ),
  )
}

/** Creates an outer key from a passphrase. */
export async function fromPassphrase(passphrase: string): Promise<Wrapping> {
  const kek = { source: 'passphrase', salt: randomBytes(16).toString('base64'), ...cost } as const
  return { kek, key: await deriveKey(passphrase, kek) }
}

/**
 * Reads the keys in `machine.key`, newest first: one, or two during a rotation, so that after a kill between
 * the writes of key and store one still fits.
 * @returns undefined when the file is missing. @throws AppError `secret_store_damaged`
 */
export function readKeyFile(file: string): Buffer[] | undefined {
  const bytes = readIfThere(file)
  if (!bytes) return undefined
  if (bytes.length !== keyBytes && bytes.length !== 2 * keyBytes)
    throw damagedStoreError(`the key file ${shortOf(file)} has ${bytes.length} bytes instead of ${keyBytes}`)
  return bytes.length === keyBytes ? [bytes] : [bytes.subarray(0, keyBytes), bytes.subarray(keyBytes)]
}

/** Returns the key for a new store, reusing an existing one left by a kill before the store was written. */
export function firstKey(file: string): Wrapping {
  const [known] = readKeyFile(file) ?? []
  const key = known ?? randomBytes(keyBytes)
  if (!known) replaceFile(file, key, 0o600)
  return { kek: { source: 'keyfile' }, key }
}

/** Adds a new key before the one in the file. @param current undefined when the store's key is elsewhere. */
export function addKey(file: string, current: Buffer | undefined): Wrapping {
  const key = randomBytes(keyBytes)
  replaceFile(file, current ? Buffer.concat([key, current]) : key, 0o600)
  return { kek: { source: 'keyfile' }, key }
}

/** Reduces `machine.key` to what the store needs: its key, or no file. */
export function tidyKeyFile(file: string, { kek, key }: Wrapping): void {
  if (kek.source !== 'keyfile') rmSync(file, { force: true, maxRetries: 5 })
  else if (readIfThere(file)?.length !== keyBytes) replaceFile(file, key, 0o600)
}

/**
 * Adds a new key to the keychain, keeping the one the store still needs. @throws AppError
 * `secret_store_unavailable`
 */
export async function addToKeychain(keychain: Keychain): Promise<Wrapping> {
  const [id, key] = [randomBytes(16).toString('hex'), randomBytes(keyBytes)]
  const text = key.toString('base64')
  await keychain.set(accountOf(id), text)
  if ((await keychain.get(accountOf(id))) !== text)
    throw new AppError('secret_store_unavailable', 'the keychain of this machine does not store values')
  return { kek: { source: 'keychain', id }, key }
}

export async function readFromKeychain(keychain: Keychain, id: string): Promise<Buffer> {
  const text = await keychain.get(accountOf(id))
  if (text !== undefined) return Buffer.from(text, 'base64')
  throw damagedStoreError(
    `the keychain of this machine has no entry ${accountOf(id)}, which the secret store needs`,
  )
}

export async function removeFromKeychain(keychain: Keychain, id: string): Promise<void> {
  await keychain.remove(accountOf(id))
}

/**
 * @returns undefined when the file is missing. @throws AppError `secret_store_damaged` when it can't be read.
 */
export function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw damagedStoreError(`${shortOf(file)} can't be read (${code})`)
  }
}

/** Returns the path within the workspace, because replies must not reveal where that is. */
export function shortOf(file: string): string {
  return `.secrets/${basename(file)}`
}

function accountOf(id: string): string {
  return `secrets-${id}`
}
