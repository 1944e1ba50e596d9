const variables = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy']

/**
 * Returns the end of a sentence about a server that cannot be reached: people whose network needs a proxy
 * expect that the variable for it is used. Empty without such a variable.
 */
export function unusedProxy(env: NodeJS.ProcessEnv = process.env): string {
  const set = variables.find(name => env[name])
  return set === undefined ? '' : `; ${set} is set, but this service uses no proxy`
}
