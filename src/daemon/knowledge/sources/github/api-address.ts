import { apiRoot } from '../api/api-root.js'

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
  const rest = apiRoot(baseUrl, { setting: 'sources.coderepo.apiBaseUrl', hasToken })
  const path = rest.pathname.replace(/\/+$/u, '')
  const at = (pathname: string): URL => new URL(pathname, rest.origin)
  const isEnterprise = path.endsWith('/api/v3')
  return {
    rest: at(`${path}/`),
    graphql: at(isEnterprise ? path.replace(/v3$/u, 'graphql') : `${path}/graphql`),
  }
}
