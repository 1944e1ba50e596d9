import { hkdfSync, randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, statSync } from 'node:fs'
import { replaceFile } from '../files/replace-file.js'

/** Length of a generated secret, and minimum length of a secret that the user provides. */
const secretBytes = 32

/** Reads the secret in a file; undefined if it is missing, too short or unreadable. */
export function readSecret(file: string): Buffer | undefined {
  try {
    const secret = readFileSync(file)
    return secret.length >= secretBytes ? secret : undefined
  } catch {
    return undefined
  }
}

/** Reads the secret in a file or creates it; afterwards only its owner can read it. */
function ensureSecret(file: string): Buffer {
  const known = readSecret(file)
  if (known) {
    chmodSync(file, 0o600)
    return known
  }
  const secret = randomBytes(secretBytes)
  replaceFile(file, secret, 0o600)
  return secret
}

/** Derives a secret for one purpose from another one. */
export function derivedSecret(from: Buffer | string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', from, '', `memory-service ${purpose}`, secretBytes))
}

/**
 * Writes the secret that several daemons share, derived from the key that each of them was given.
 * @throws Error for a key that could be guessed
 */
export function placeTeamSecret(file: string, key: string): void {
  if (key.length < secretBytes)
    throw new Error(`SERVICE_TEAM_KEY has ${key.length} characters; it needs at least ${secretBytes}`)
  const secret = derivedSecret(key, 'auth secret')
  if (!readSecret(file)?.equals(secret)) replaceFile(file, secret, 0o600)
}

/**
 * Returns a getter that follows the secret in a file: a replaced secret applies at once, and a deleted one is
 * created again. The process that uses the secret need not restart.
 */
export function followSecret(file: string): () => Buffer {
  const state: { secret?: Buffer; mark?: string | undefined } = {}
  return () => {
    const mark = markOf(file)
    if (state.secret && mark === state.mark) return state.secret
    state.secret = state.secret ? replacementSecret(file) : ensureSecret(file)
    state.mark = markOf(file)
    return state.secret
  }
}

/** The old secret is invalidated even if the disk is too full to write the new one. */
function replacementSecret(file: string): Buffer {
  try {
    return ensureSecret(file)
  } catch {
    return randomBytes(secretBytes)
  }
}

/** Identifies the file's version; undefined if the file is missing. */
function markOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  return found && `${found.ino} ${found.mtimeMs} ${found.size}`
}
