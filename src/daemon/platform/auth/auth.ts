import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Logger } from 'pino'
import type { RateBucket } from '../../../contract/ground/endpoint.js'
import { AppError } from '../../../contract/ground/errors.js'
import type { AuthSettings } from '../../../contract/settings.js'
import { isLoopback } from '../../../lib/network/is-loopback.js'
import { passwordHashPattern, verifyPassword } from '../../../lib/workspace/password-hash.js'
import { followSecret, placeTeamSecret } from '../../../lib/workspace/secret-file.js'
import type { SettingsWatch } from '../../ground/settings/settings-in-force.js'
import { createLocalUsers, type LocalUsers } from './local-users.js'
import { networkOf } from './loopback.js'

interface RateLimiter {
  /**
   * Counts one request.
   * @returns a function that takes it back
   * @throws AppError `rate_limited` with `retry-after` when the window is full
   */
  take(bucket: RateBucket, actor: string): () => void
  /** Divides the limits among the daemons that serve one database, each of which counts its own requests. */
  divide(daemons: number): void
  /** Number of windows in memory. */
  size(): number
}

/** Above this number of actors per bucket, the least recently used windows are dropped. */
const maxActors = 20_000

/**
 * A sliding window per actor and bucket: the times of accepted requests, at most as many as the limit
 * (security.md 5.5). Rejected requests don't count.
 */
export function createRateLimiter(limits: () => AuthSettings['rateLimits'], clock: () => Date): RateLimiter {
  const buckets = new Map<RateBucket, Map<string, number[]>>()
  let sharedBy = 1
  return {
    take: (bucket, actor) => {
      const { windowMs, max: ofAll } = limits()[bucket]
      const max = Math.ceil(ofAll / sharedBy)
      const windows = buckets.get(bucket) ?? new Map<string, number[]>()
      buckets.set(bucket, windows)
      const now = clock().getTime()
      const times = (windows.get(actor) ?? []).filter(time => time > now - windowMs)
      const full = times.length >= max
      if (!full) times.push(now)
      // A map keeps insertion order, so re-adding moves the window to the end and the first one is the
      // oldest.
      windows.delete(actor)
      windows.set(actor, times)
      dropOld(windows, now - windowMs)
      if (full) throw limited(bucket, max, windowMs, (times[times.length - max] ?? now) + windowMs - now)
      return () => {
        const kept = windows.get(actor) ?? []
        const at = kept.lastIndexOf(now)
        if (at >= 0) kept.splice(at, 1)
      }
    },
    divide: daemons => {
      sharedBy = Math.max(1, daemons)
    },
    size: () => [...buckets.values()].reduce((sum, windows) => sum + windows.size, 0),
  }
}

/** Drops expired windows, oldest use first, and more while there are too many. */
function dropOld(windows: Map<string, number[]>, ended: number): void {
  for (const [actor, times] of windows) {
    if (windows.size <= maxActors && (times.at(-1) ?? 0) > ended) return
    windows.delete(actor)
  }
}

function limited(bucket: RateBucket, max: number, windowMs: number, waitMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  const message = `more than ${max} ${bucket} requests in ${windowMs / 1000} s; try again in ${seconds} s`
  return new AppError('rate_limited', message, undefined, { headers: { 'retry-after': String(seconds) } })
}

export type AuthMode = AuthSettings['mode']

/** Settings and secrets that decide who may call the daemon. */
export interface Auth {
  /** The mode in force now. */
  mode(): AuthMode
  settings(): AuthSettings
  /** The key that signs tokens, as in the file. Created at first use, and again when the file was deleted. */
  secret(): Buffer
  /** The admin's password login; undefined when none is configured. */
  passwordLogin(): PasswordLogin | undefined
  limiter: RateLimiter
  localUsers: LocalUsers
  /** Instance id of the workspace. */
  instance: string
  /** Limits wrong passwords across all addresses. */
  logins: LoginLimit
}

export interface AuthOptions {
  secretFile: string
  /** The key that daemons of one database share, so that a token of one is good at the others. */
  teamKey?: string | undefined
  /** Instance id of the workspace. */
  instance: string
  settings: SettingsWatch
  environment: NodeJS.ProcessEnv
  clock: () => Date
  log: Logger
  /** Address that the daemon binds to. */
  host: string
  /** Command-line confirmation that mode local may be open to the network. */
  openToNetwork: boolean
}

/**
 * @throws Error when the settings would give everyone on the network full access, or a login from the
 * environment is malformed
 */
export function createAuth(options: AuthOptions): Auth {
  const { secretFile, teamKey, settings, environment, clock, log } = options
  const current = (): AuthSettings => settings.current().settings.auth
  if (isExposed(options, current())) throw new Error(exposed(options.host))
  if (teamKey !== undefined) placeTeamSecret(secretFile, teamKey)
  const secret = followSecret(secretFile)
  passwordLogin(current(), environment, secret)
  if (current().mode !== 'local') secret()
  settings.onChange(({ auth }, previous) => {
    if (auth.mode !== 'local') secret()
    if (isExposed(options, auth)) log.error(`auth.mode stays team: ${exposed(options.host)}`)
    else if (auth.mode !== previous.auth.mode)
      log.info({ audit: 'mode', mode: auth.mode }, 'authentication mode changed')
  })
  // Editing agent.yaml alone must not open a daemon that listens on the network, so it stays in mode team.
  const mode = (): AuthMode => (isExposed(options, current()) ? 'team' : current().mode)
  const limiter = createRateLimiter(() => current().rateLimits, clock)
  return {
    mode,
    settings: current,
    secret,
    passwordLogin: () => passwordLogin(current(), environment, secret),
    limiter,
    instance: options.instance,
    localUsers: createLocalUsers({ setting: () => current().localUsers }),
    logins: createLoginLimit(limiter, () => mode() !== 'local'),
  }
}

/** True for mode local on an address that other machines reach, unless confirmed. */
function isExposed(
  { host, openToNetwork }: Pick<AuthOptions, 'host' | 'openToNetwork'>,
  auth: AuthSettings,
): boolean {
  return auth.mode === 'local' && !isLoopback(host) && !openToNetwork && !auth.openToNetwork
}

function exposed(host: string): string {
  return (
    `mode local on ${host} would let everyone who reaches this address read, change and delete every memory; ` +
    'set auth.mode to team, or bind to 127.0.0.1, or confirm with --i-know-this-is-open or auth.openToNetwork: true'
  )
}

/** Limits wrong passwords for the admin account, the only account. */
interface LoginLimit {
  /**
   * Counts an attempt before its password is checked, because many may arrive at once.
   * @param peer address of the TCP peer
   * @returns a function to call when the password was right
   * @throws AppError `rate_limited`
   */
  begin(peer: string | undefined): () => void
}

/** More networks than one person logs in from; the least recently used is forgotten. */
const maxKnown = 1000

/**
 * Limits failed logins from unknown networks together, against guessing from many addresses; each address
 * also has its own limit (security.md 5.5). All user names count, so that the limit doesn't reveal the right
 * one. This machine and networks with an earlier login are exempt, so a full window locks out only strangers.
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
        // A set keeps insertion order, so re-adding moves the network to the end and the first one is the
        // oldest.
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
  /**
   * Changes with the password, so that logins made with an old one end. It is stored with them, so it is made
   * with the daemon's secret: nobody can try passwords on a copy of the database.
   */
  mark(): string
  /** Takes equally long for right and wrong credentials. */
  verify(username: string, password: string): Promise<boolean>
}

/**
 * The password login configured by environment or settings; a plain password is accepted from the environment
 * only (security.md 5.3).
 * @returns undefined when none is configured
 * @throws Error when SERVICE_ADMIN_PASSWORD_HASH is malformed
 */
function passwordLogin(
  auth: AuthSettings,
  environment: NodeJS.ProcessEnv,
  secret: () => Buffer,
): PasswordLogin | undefined {
  const { password } = auth.login
  const plain = environment.SERVICE_ADMIN_PASSWORD
  const hash = environment.SERVICE_ADMIN_PASSWORD_HASH || password.passwordHash
  if (!plain && !hash) return undefined
  if (!plain && !passwordHashPattern.test(hash ?? ''))
    throw new Error(
      'SERVICE_ADMIN_PASSWORD_HASH does not have the form pbkdf2-sha256$<iterations>$<salt>$<hash>; make one with: memory auth hash-password',
    )
  const username = environment.SERVICE_ADMIN_USERNAME || password.username
  return {
    username,
    mark: () =>
      createHmac('sha256', secret())
        .update(`${username} ${plain || hash}`)
        .digest('hex'),
    verify: async (name, given) => {
      const right = plain ? isSame(given, plain) : await verifyPassword(given, hash as string)
      return isSame(name, username) && right
    },
  }
}

/** Compares digests under a one-time key, so that the timing reveals nothing about either text. */
function isSame(a: string, b: string): boolean {
  const key = randomBytes(32)
  const digest = (text: string) => createHmac('sha256', key).update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
