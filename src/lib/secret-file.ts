import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync } from 'node:fs'
import { replaceFile } from './replace-file.js'

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
export function ensureSecret(file: string): Buffer {
  const known = readSecret(file)
  if (known) {
    chmodSync(file, 0o600)
    return known
  }
  const secret = randomBytes(secretBytes)
  replaceFile(file, secret, 0o600)
  return secret
}
