import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Logger } from 'pino'
import type { AuthSettings } from '../../../contract/settings.js'
import { isLoopback } from '../../../lib/network/is-loopback.js'
import { passwordHashPattern, verifyPassword } from '../../../lib/workspace/password-hash.js'
import { followSecret } from '../../../lib/workspace/secret-file.js'
import type { SettingsWatch } from '../../ground/settings/settings-in-force.js'
import { networkOf } from './network-of.js'
import { createRateLimiter, type RateLimiter } from './rate-limiter.js'

export type AuthMode = AuthSettings['mode']

/** What the daemon knows about who may call it. */
export interface Auth {
  /** The mode in force now. */
  mode(): AuthMode
  /** Signs tokens: what the file holds now. Made at the first use, and anew when the file is gone. */
  secret(): Buffer
  /** How an admin logs in by password; undefined while that is not set up. */
  passwordLogin(): PasswordLogin | undefined
  limiter: RateLimiter
  /** Wrong passwords, whatever addresses they come from. */
  logins: LoginLimit
}

export interface AuthOptions {
  secretFile: string
  settings: SettingsWatch
  environment: NodeJS.ProcessEnv
  clock: () => Date
  log: Logger
  /** Address that the daemon binds to. */
  host: string
  /** Said on the command line: mode local may be open to the network. */
  openToNetwork: boolean
}

/**
 * @throws Error when the settings would let everybody on the network do everything, or a login from the environment is
 *   malformed.
 */
export function createAuth(options: AuthOptions): Auth {
  const { secretFile, settings, environment, clock, log } = options
  const current = (): AuthSettings => settings.current().settings.auth
  if (isExposed(options, current())) throw new Error(exposed(options.host))
  passwordLogin(current(), environment)
  const secret = followSecret(secretFile)
  if (current().mode !== 'local') secret()
  settings.onChange(({ auth }, previous) => {
    if (auth.mode !== 'local') secret()
    if (isExposed(options, auth)) log.error(`auth.mode stays team: ${exposed(options.host)}`)
    else if (auth.mode !== previous.auth.mode)
      log.info({ audit: 'mode', mode: auth.mode }, 'authentication mode changed')
  })
  // An edit of agent.yaml alone must not open a daemon that listens on the network: mode team stays in force.
  const mode = (): AuthMode => (isExposed(options, current()) ? 'team' : current().mode)
  const limiter = createRateLimiter(() => current().rateLimits, clock)
  return {
    mode,
    secret,
    passwordLogin: () => passwordLogin(current(), environment),
    limiter,
    logins: createLoginLimit(limiter, () => mode() !== 'local'),
  }
}

/** Mode local on an address that other machines reach, said only once. */
function isExposed(
  { host, openToNetwork }: Pick<AuthOptions, 'host' | 'openToNetwork'>,
  auth: AuthSettings,
): boolean {
  return auth.mode === 'local' && !isLoopback(host) && !openToNetwork && !auth.openToNetwork
}

function exposed(host: string): string {
  return (
    `mode local on ${host} would let everybody who reaches this address read, change and delete every memory; ` +
    'set auth.mode to team, or bind to 127.0.0.1, or say so a second time: --i-know-this-is-open, or auth.openToNetwork: true'
  )
}

/** Limits wrong passwords for the admin account, the only one there is. */
interface LoginLimit {
  /**
   * Counts an attempt before its password is looked at: many may be on their way at once.
   * @param peer address of the TCP peer
   * @returns what to call when the password was right.
   * @throws AppError `rate_limited`
   */
  begin(peer: string | undefined): () => void
}

/** More networks than one person logs in from; the one that was used longest ago is forgotten. */
const maxKnown = 1000

/**
 * An address has its own limit (security.md 5.5); whoever guesses from many of them meets this one. It counts failures
 * by any name, so that it tells nothing of the right one, and neither those of this machine nor those of a network that
 * somebody logged in from before: whoever keeps its window full keeps out other strangers, and not the owner.
 */
export function createLoginLimit(limiter: Pick<RateLimiter, 'take'>, isEnforced: () => boolean): LoginLimit {
  const known = new Set<string>()
  return {
    begin: (peer = '') => {
      const network = networkOf(peer)
      const counts = isEnforced() && !isLoopback(peer) && !known.has(network)
      const giveBack = counts ? limiter.take('login', 'strangers') : undefined
      return () => {
        giveBack?.()
        // Deleted and added again: a set keeps the order of insertion, so the first one is the one not used for
        // longest.
        known.delete(network)
        known.add(network)
        const [oldest = ''] = known
        if (known.size > maxKnown) known.delete(oldest)
      }
    },
  }
}

interface PasswordLogin {
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
function passwordLogin(auth: AuthSettings, environment: NodeJS.ProcessEnv): PasswordLogin | undefined {
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
