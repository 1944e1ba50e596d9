import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, statSync } from 'node:fs'
import { replaceFile } from '../files/replace-file.js'

/** Bytes of a secret, and the fewest that a secret of somebody's own making may have. */
const secretBytes = 32

/** The secret in a file; undefined when there is none that is long enough, or it may not be read. */
export function readSecret(file: string): Buffer | undefined {
  try {
    const secret = readFileSync(file)
    return secret.length >= secretBytes ? secret : undefined
  } catch {
    return undefined
  }
}

/** The secret in a file, made when it is missing; only its owner can read it afterwards. */
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

/**
 * The secret in a file whenever it is asked for: another one that was put there counts at once, and one that is gone is
 * made anew, so that neither needs whoever holds the old one to end.
 */
export function followSecret(file: string): () => Buffer {
  const state: { secret?: Buffer; mark?: string | undefined } = {}
  return () => {
    const mark = markOf(file)
    if (state.secret && mark === state.mark) return state.secret
    state.secret = state.secret ? another(file) : ensureSecret(file)
    state.mark = markOf(file)
    return state.secret
  }
}

/** The old one ends also where there is no room to write the new one down. */
function another(file: string): Buffer {
  try {
    return ensureSecret(file)
  } catch {
    return randomBytes(secretBytes)
  }
}

/** Tells whether it is still the same file; undefined where there is none. */
function markOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  return found && `${found.ino} ${found.mtimeMs} ${found.size}`
}
