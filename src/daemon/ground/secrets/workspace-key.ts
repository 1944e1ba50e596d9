import { join } from 'node:path'
import { AppError } from '../../../contract/ground/errors.js'
import { ownPrefix } from '../../../contract/secrets/names.js'
import { ageRecipient } from '../../../contract/secrets/workspace-key.js'
import { replaceFile } from '../../../lib/files/replace-file.js'
import { recipientOf } from '../../../lib/keys/sealed-stream.js'
import { ageIdentityOf, keyOfRecoveryCode, workspaceKeyBytes } from '../../../lib/keys/workspace-key.js'
import { readIfThere } from '../../../store/secrets/outer-keys.js'
import type { SecretStore } from '../../../store/secrets/secret-store.js'

/** The place of a workspace's key: an own entry of the secret store, and a file for its public half. */
export interface KeyPlace {
  store: Pick<SecretStore, 'get' | 'set' | 'holds'>
  /** `.secrets` of the workspace. */
  folder: string
}

/** The keys in base64, one a line: the one in use, then those that it replaced. */
const entryName = `${ownPrefix}workspace_key`
/** The public half, so that a locked store stops no sealed backup. */
const publicFile = 'workspace.pub'

/**
 * All keys of the workspace, the one in use first; empty when it has none.
 * @throws AppError of the secret store
 */
export async function keysOfWorkspace({ store }: KeyPlace): Promise<Buffer[]> {
  const text = await store.get(entryName)
  return (text ?? '')
    .split('\n')
    .filter(line => line !== '')
    .map(line => Buffer.from(line, 'base64'))
    .filter(key => key.length === workspaceKeyBytes)
}

/**
 * Makes the key of a recovery code the one in use. A replaced key still opens what was sealed to it.
 * @returns the public half. @throws AppError `validation_failed` for a mistyped code, `conflict` when the
 * workspace has another key and `replace` is not set
 */
export async function setWorkspaceKey(
  place: KeyPlace,
  { code, replace }: { code: string; replace: boolean },
): Promise<string> {
  const key = keyOfRecoveryCode(code)
  if (!key)
    throw new AppError(
      'validation_failed',
      'this is not a complete recovery code: it has seven groups of four letters and digits; check it for typing errors',
    )
  const [current, ...earlier] = await keysOfWorkspace(place)
  if (current && !current.equals(key) && !replace)
    throw new AppError(
      'conflict',
      'this workspace has another key; add --replace to use the key of this code from now on: the other one still opens its backups',
    )
  const others = [current, ...earlier].filter(one => one !== undefined).filter(one => !one.equals(key))
  await place.store.set(entryName, [key, ...others].map(one => one.toString('base64')).join('\n'))
  return publish(place, key)
}

/**
 * The public key that backups are sealed to.
 * @returns undefined when the workspace has no key
 * @throws AppError of the secret store when there is a key and its public half can't be found out
 */
export async function recipientOfWorkspace(place: KeyPlace): Promise<string | undefined> {
  const known = readPublic(place)
  try {
    const [key] = await keysOfWorkspace(place)
    if (key) return await publish(place, key)
    return known
  } catch (error) {
    if (known !== undefined) return known
    if (isHeld(place)) throw error
    return undefined
  }
}

/** Secret keys in the form that age reads, the one in use first. @throws AppError of the secret store */
export async function identitiesOfWorkspace(place: KeyPlace): Promise<string[]> {
  return (await keysOfWorkspace(place)).map(ageIdentityOf)
}

/**
 * Reads what a person gave to open a sealed file: a recovery code, or a secret key of age.
 * @throws AppError `validation_failed`, without repeating it
 */
export function identityOf(given: string): string {
  const text = given.trim()
  if (/^AGE-SECRET-KEY-1[0-9A-Z]{20,200}$/iu.test(text)) return text.toUpperCase()
  const key = keyOfRecoveryCode(text)
  if (key) return ageIdentityOf(key)
  throw new AppError(
    'validation_failed',
    'this is neither a recovery code (seven groups of four letters and digits) nor a secret key of age (AGE-SECRET-KEY-1...); check it for typing errors',
  )
}

/** A damaged store stops no backup: with a key, its public half would be there. */
function isHeld({ store }: KeyPlace): boolean {
  try {
    return store.holds(entryName)
  } catch {
    return false
  }
}

async function publish(place: KeyPlace, key: Buffer): Promise<string> {
  const recipient = await recipientOf(ageIdentityOf(key))
  if (readPublic(place) !== recipient) replaceFile(join(place.folder, publicFile), `${recipient}\n`, 0o600)
  return recipient
}

function readPublic({ folder }: KeyPlace): string | undefined {
  try {
    const text = readIfThere(join(folder, publicFile))?.toString('utf8').trim()
    return ageRecipient.safeParse(text).data
  } catch {
    return undefined
  }
}
