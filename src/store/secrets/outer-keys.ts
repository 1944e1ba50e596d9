import { randomBytes, scrypt } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { AppError } from '../../contract/ground/errors.js'
import type { OuterKey } from '../../contract/secrets/store-file.js'
import { replaceFile } from '../../lib/files/replace-file.js'
import type { Keychain } from './keychain.js'
import { damaged, keyBytes, type Wrapping } from './store-document.js'

/** Cost of deriving a key from a passphrase: 128 MiB and about half a second. */
const cost = { N: 2 ** 17, r: 8, p: 1 } as const

type PassphraseKey = Extract<OuterKey, { source: 'passphrase' }>

/** Runs in the thread pool. The same characters count, however a keyboard composes them. */
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

/** A new outer key of a passphrase. */
export async function fromPassphrase(passphrase: string): Promise<Wrapping> {
  const kek = { source: 'passphrase', salt: randomBytes(16).toString('base64'), ...cost } as const
  return { kek, key: await deriveKey(passphrase, kek) }
}

/**
 * The keys in `machine.key`, the newest first: one, or two while a rotation is under way, so that a kill between the
 * key's write and the store's leaves a key that fits.
 * @returns undefined when there is no such file. @throws AppError `secret_store_damaged`
 */
export function readKeyFile(file: string): Buffer[] | undefined {
  const bytes = readIfThere(file)
  if (!bytes) return undefined
  if (bytes.length !== keyBytes && bytes.length !== 2 * keyBytes)
    throw damaged(`the key file ${shortOf(file)} holds ${bytes.length} bytes where ${keyBytes} are due`)
  return bytes.length === keyBytes ? [bytes] : [bytes.subarray(0, keyBytes), bytes.subarray(keyBytes)]
}

/** The key of a store that begins; one that is there already is taken: a kill may have come before the store. */
export function firstKey(file: string): Wrapping {
  const [known] = readKeyFile(file) ?? []
  const key = known ?? randomBytes(keyBytes)
  if (!known) replaceFile(file, key, 0o600)
  return { kek: { source: 'keyfile' }, key }
}

/** A new key before the one that is in the file. @param current undefined when the store has its key from elsewhere. */
export function addKey(file: string, current: Buffer | undefined): Wrapping {
  const key = randomBytes(keyBytes)
  replaceFile(file, current ? Buffer.concat([key, current]) : key, 0o600)
  return { kek: { source: 'keyfile' }, key }
}

/** Leaves in `machine.key` what the store needs: its key, or nothing. */
export function tidyKeyFile(file: string, { kek, key }: Wrapping): void {
  if (kek.source !== 'keyfile') rmSync(file, { force: true })
  else if (readIfThere(file)?.length !== keyBytes) replaceFile(file, key, 0o600)
}

/** A new key in the keychain, beside the one that the store still needs. @throws AppError `secret_store_unavailable` */
export async function addToKeychain(keychain: Keychain): Promise<Wrapping> {
  const [id, key] = [randomBytes(16).toString('hex'), randomBytes(keyBytes)]
  const text = key.toString('base64')
  await keychain.set(accountOf(id), text)
  if ((await keychain.get(accountOf(id))) !== text)
    throw new AppError(
      'secret_store_unavailable',
      'the keychain of this machine does not keep what it is given',
    )
  return { kek: { source: 'keychain', id }, key }
}

export async function readFromKeychain(keychain: Keychain, id: string): Promise<Buffer> {
  const text = await keychain.get(accountOf(id))
  if (text !== undefined) return Buffer.from(text, 'base64')
  throw damaged(
    `the keychain of this machine has no entry ${accountOf(id)}, which the store of secrets needs`,
  )
}

export async function removeFromKeychain(keychain: Keychain, id: string): Promise<void> {
  await keychain.remove(accountOf(id))
}

/** @returns undefined when there is no such file. @throws AppError `secret_store_damaged` when it can't be read. */
export function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw damaged(`${shortOf(file)} can't be read (${code})`)
  }
}

/** The file within the workspace: replies tell nobody where that is. */
export function shortOf(file: string): string {
  return `.secrets/${basename(file)}`
}

function accountOf(id: string): string {
  return `secrets-${id}`
}
