import type { Logger } from 'pino'
import type { AuthSettings } from '../../../contract/settings.js'
import { isLoopback } from '../../../lib/network/is-loopback.js'
import { followSecret } from '../../../lib/workspace/secret-file.js'
import type { SettingsWatch } from '../../ground/settings/settings-in-force.js'
import { createLoginLimit, type LoginLimit } from './login-limit.js'
import { type PasswordLogin, passwordLogin } from './password-login.js'
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
