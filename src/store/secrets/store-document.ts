import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { AppError } from '../../contract/ground/errors.js'
import {
  type OuterKey,
  type SealedValue,
  type StoreFile,
  storeFile,
  storeFormat,
} from '../../contract/secrets/store-file.js'
import { inSlices } from '../../lib/concurrency/every-few-ms.js'
import { jsonOf } from '../../lib/text/json-of.js'

/** A store file with the inner key that opens its entries. */
export interface OpenDocument {
  file: StoreFile
  dek: Buffer
}

/** The outer key, and its description in the file. */
export interface Wrapping {
  kek: OuterKey
  key: Buffer
}

/** @param what the file, for the message. @throws AppError `secret_store_damaged` */
export function parseStoreFile(text: string, what: string): StoreFile {
  const parsed = storeFile.safeParse(jsonOf(text))
  if (parsed.success) return parsed.data
  throw damagedStoreError(`${what} is not a complete secret store (or is from a newer release)`)
}

/**
 * Opens the inner key and verifies every entry, so that a damaged file is refused as a whole.
 * @param keys outer keys; the first that fits is used. @returns undefined when none of them fits.
 * @throws AppError `secret_store_damaged`
 */
export async function openDocument(
  file: StoreFile,
  keys: readonly Buffer[],
  what: string,
): Promise<(OpenDocument & { key: Buffer }) | undefined> {
  for (const key of keys) {
    const dek = openInnerKey(file, key)
    if (!dek) continue
    await inSlices(verifyEntries({ file, dek }, what))
    return { file, dek, key }
  }
  return undefined
}

function* verifyEntries(document: OpenDocument, what: string): Generator<undefined, void> {
  for (const name of Object.keys(document.file.entries)) {
    try {
      valueIn(document, name)
    } catch {
      throw damagedStoreError(`${what}: the entry ${name} does not verify`)
    }
    yield
  }
}

/** Creates a store without entries, under a new inner key. */
export function emptyDocument(wrapping: Wrapping): OpenDocument {
  const dek = randomBytes(keyBytes)
  const file = {
    format: storeFormat,
    version: 1,
    kek: wrapping.kek,
    ...sealInnerKey(wrapping, dek),
    entries: {},
  }
  return { file: file as StoreFile, dek }
}

/** Re-encrypts the entries under a new inner key. */
export async function reencrypt(document: OpenDocument, wrapping: Wrapping): Promise<OpenDocument> {
  const { file, dek } = emptyDocument(wrapping)
  const sealAll = function* (): Generator<undefined, StoreFile['entries']> {
    const entries: [string, StoreFile['entries'][string]][] = []
    for (const [name, { createdAt, updatedAt }] of Object.entries(document.file.entries)) {
      const sealed = seal(dek, valueIn(document, name), sealContext(file.dek.id, name))
      entries.push([name, { ...sealed, createdAt, updatedAt }])
      yield
    }
    return Object.fromEntries(entries)
  }
  return { file: { ...file, entries: await inSlices(sealAll()) }, dek }
}

/** Encrypts the same inner key with another outer one. */
export function replaceOuterKey({ file, dek }: OpenDocument, wrapping: Wrapping): OpenDocument {
  return { file: { ...file, kek: wrapping.kek, ...sealInnerKey(wrapping, dek, file.dek.id) }, dek }
}

/** Returns the bytes of an existing entry. @throws Error when they do not verify. */
export function valueIn({ file, dek }: OpenDocument, name: string): Buffer {
  const entry = entryOf(file, name)
  if (!entry) throw new Error(`no entry ${name}`)
  return unseal(dek, entry, sealContext(file.dek.id, name))
}

/** Returns the document with these entries set. */
export function withEntries(
  { file, dek }: OpenDocument,
  values: readonly (readonly [name: string, value: string])[],
  now: string,
): OpenDocument {
  const set = values.map(([name, value]) => {
    const createdAt = entryOf(file, name)?.createdAt ?? now
    return [
      name,
      { ...seal(dek, Buffer.from(value), sealContext(file.dek.id, name)), createdAt, updatedAt: now },
    ]
  })
  return { dek, file: { ...file, entries: { ...file.entries, ...Object.fromEntries(set) } } }
}

export function withoutEntry({ file, dek }: OpenDocument, name: string): OpenDocument {
  const { [name]: _gone, ...entries } = file.entries
  return { file: { ...file, entries }, dek }
}

/** Checks own properties only, because every object has a `constructor`. */
export function entryOf({ entries }: StoreFile, name: string): StoreFile['entries'][string] | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined
}

/** @param what beginning of the sentence: the file, and its problem. */
export function damagedStoreError(what: string): AppError {
  return new AppError(
    'secret_store_damaged',
    `${what}: it is neither read nor written; restore the folder .secrets from a backup`,
  )
}

function sealInnerKey({ key }: Wrapping, dek: Buffer, id: string = randomUUID()): Pick<StoreFile, 'dek'> {
  return { dek: { id, ...seal(key, dek, sealContext(id)) } }
}

function openInnerKey({ dek }: StoreFile, key: Buffer): Buffer | undefined {
  try {
    const opened = unseal(key, dek, sealContext(dek.id))
    return opened.length === keyBytes ? opened : undefined
  } catch {
    return undefined
  }
}

/** Returns the context a sealed text is bound to: format version, inner key and, for an entry, its name. */
function sealContext(dekId: string, name?: string): string {
  return name === undefined ? `v1|${dekId}` : `v1|${dekId}|${name}`
}

const algorithm = 'aes-256-gcm'

const ivBytes = 12

const authTagLength = 16

export const keyBytes = 32

/**
 * Encrypts under a random IV. @param place the context, so that a sealed text opens only in its own place.
 */
export function seal(key: Buffer, text: Buffer, place: string): SealedValue {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength }).setAAD(Buffer.from(place))
  const ct = Buffer.concat([cipher.update(text), cipher.final()])
  return {
    iv: iv.toString('base64'),
    ct: ct.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
  }
}

/** @throws Error for another key, another place, or any change of the bytes. */
export function unseal(key: Buffer, { iv, ct, tag }: SealedValue, place: string): Buffer {
  const decipher = createDecipheriv(algorithm, key, exactly(iv, ivBytes), { authTagLength })
    .setAAD(Buffer.from(place))
    .setAuthTag(exactly(tag, authTagLength))
  return Buffer.concat([decipher.update(Buffer.from(ct, 'base64')), decipher.final()])
}

function exactly(base64: string, length: number): Buffer {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length !== length) throw new Error(`${bytes.length} bytes instead of ${length}`)
  return bytes
}
