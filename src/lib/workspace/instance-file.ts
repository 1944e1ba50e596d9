import { readFileSync } from 'node:fs'
import { replaceFile } from '../files/replace-file.js'
import { storageFault } from '../files/storage-fault.js'

const form = /^[0-9a-f]{64}$/u

/**
 * Reads the instance id of a workspace: 32 random bytes in hex, which only its owner can read.
 * @returns undefined if the file is missing, unreadable or incomplete.
 */
export function readInstance(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim()
    return form.test(text) ? text : undefined
  } catch {
    return undefined
  }
}

/** Reads the instance id or creates it. On a full disk it is valid for this process only. */
export function ensureInstance(file: string): string {
  const known = readInstance(file)
  if (known) return known
  const made = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')
  try {
    replaceFile(file, `${made}\n`, 0o600)
  } catch (error) {
    if (!storageFault(error)) throw error
  }
  return made
}
