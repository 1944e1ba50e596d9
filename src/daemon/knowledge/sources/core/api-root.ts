import { isInTheClear } from '../../../../lib/network/is-loopback.js'
import { SourceFailure } from './kind.js'

/**
 * Parses the address of a platform's API from the settings.
 * @param setting its key, for messages
 * @throws SourceFailure if the address contains a password, or if a token would be sent to it unencrypted
 */
export function apiRoot(baseUrl: string, { setting, hasToken }: { setting: string; hasToken: boolean }): URL {
  const base = new URL(baseUrl)
  if (base.username || base.password)
    throw new SourceFailure(`${setting} must not contain a user name or password: use tokenRef`)
  if (hasToken && isInTheClear(base))
    throw new SourceFailure(
      `${setting} must use https: the token would be sent to ${base.origin} unencrypted`,
    )
  return base
}
