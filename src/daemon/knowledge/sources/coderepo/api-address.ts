import { isLoopback } from '../../../platform/auth/loopback.js'
import { SourceFailure } from '../core/kind.js'

/** Where an installation of GitHub answers. */
export interface ApiAddress {
  /** Of the REST API, ends with `/`. */
  rest: URL
  graphql: URL
}

/**
 * The addresses below the one that `sources.coderepo.apiBaseUrl` names. An enterprise server has REST below
 * `/api/v3` and GraphQL beside it; everywhere else GraphQL is below REST.
 * @throws SourceFailure for an address that holds a password, or one to which a token would travel in the clear
 */
export function apiAddress(baseUrl: string, { hasToken }: { hasToken: boolean }): ApiAddress {
  const rest = new URL(baseUrl)
  if (rest.username || rest.password)
    throw new SourceFailure(
      'sources.coderepo.apiBaseUrl must not hold a user name or password: give the source a tokenRef',
    )
  if (hasToken && rest.protocol !== 'https:' && !isLoopback(rest.hostname))
    throw new SourceFailure(
      `a token is not sent to ${rest.origin} in the clear: give sources.coderepo.apiBaseUrl with https`,
    )
  const path = rest.pathname.replace(/\/+$/u, '')
  const at = (pathname: string): URL => new URL(pathname, rest.origin)
  const isEnterprise = path.endsWith('/api/v3')
  return {
    rest: at(`${path}/`),
    graphql: at(isEnterprise ? path.replace(/v3$/u, 'graphql') : `${path}/graphql`),
  }
}
