import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { AuthSettings } from '../../../contract/settings.js'
import { passwordHashPattern, verifyPassword } from '../../../lib/workspace/password-hash.js'

export interface PasswordLogin {
  username: string
  /** Takes as long for a wrong user name or password as for the right ones. */
  verify(username: string, password: string): Promise<boolean>
}

/**
 * The password login that the environment or the settings set up; a plain password counts from the environment only
 * (security.md 5.3).
 * @returns undefined while there is none.
 * @throws Error when SERVICE_ADMIN_PASSWORD_HASH is no hash.
 */
export function passwordLogin(auth: AuthSettings, environment: NodeJS.ProcessEnv): PasswordLogin | undefined {
  const { password } = auth.login
  const plain = environment.SERVICE_ADMIN_PASSWORD
  const hash = environment.SERVICE_ADMIN_PASSWORD_HASH || password.passwordHash
  if (!plain && !hash) return undefined
  if (!plain && !passwordHashPattern.test(hash ?? ''))
    throw new Error(
      'SERVICE_ADMIN_PASSWORD_HASH is not of the form pbkdf2-sha256$<iterations>$<salt>$<hash>; make one with: memory auth hash-password',
    )
  const username = environment.SERVICE_ADMIN_USERNAME || password.username
  return {
    username,
    verify: async (name, given) => {
      const right = plain ? isSame(given, plain) : await verifyPassword(given, hash as string)
      return isSame(name, username) && right
    },
  }
}

/** Compares digests of one length under a key of one use, so that the time tells nothing of either text. */
function isSame(a: string, b: string): boolean {
  const key = randomBytes(32)
  const digest = (text: string) => createHmac('sha256', key).update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
