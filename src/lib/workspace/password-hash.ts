import { pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(pbkdf2)
const iterations = 600_000
const hashBytes = 32

/** `pbkdf2-sha256$<iterations>$<salt>$<hash>`, salt and hash as base64url (security.md 5.3). */
export const passwordHashPattern = /^pbkdf2-sha256\$(\d{4,8})\$([\w+/=-]{11,200})\$([\w+/=-]{43,44})$/

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, iterations, hashBytes, 'sha256')
  return `pbkdf2-sha256$${iterations}$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

/** Takes equally long for wrong and right passwords. Returns false for a text that is not a hash. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, rounds, salt = '', hash = ''] = passwordHashPattern.exec(stored) ?? []
  if (!rounds) return false
  const expected = Buffer.from(hash, 'base64')
  const given = await derive(password, Buffer.from(salt, 'base64'), Number(rounds), hashBytes, 'sha256')
  return expected.length === given.length && timingSafeEqual(expected, given)
}
