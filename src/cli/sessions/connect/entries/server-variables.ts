/** Variables that our MCP server and its daemon read; a flag names the workspace. */
const plainNames = [
  'SERVICE_DAEMON_URL',
  'SERVICE_HOST',
  'SERVICE_PORT',
  'SERVICE_NO_AUTOSTART',
  'SERVICE_EMBEDDING_DOWNLOAD',
  'SERVICE_INDEX_THREAD',
  'SERVICE_LOG_LEVEL',
  'SERVICE_PROJECT',
  'SERVICE_PROMPT_SUBMIT_TIMEOUT',
  'SERVICE_TELEMETRY_OPTOUT',
] as const

/** Variables whose values are never written to files. */
const secretNames = [
  'SERVICE_API_KEY',
  'SERVICE_TOKEN',
  'SERVICE_ADMIN_USERNAME',
  'SERVICE_ADMIN_PASSWORD',
  'SERVICE_ADMIN_PASSWORD_HASH',
] as const

/** Variables of our server that are set in the connecting terminal. */
export interface ServerVariables {
  names: readonly string[]
  /** Values that may appear in a settings file, by name. */
  plain: Readonly<Record<string, string>>
}

export function serverVariables(env: Readonly<Record<string, string | undefined>>): ServerVariables {
  const isSet = (name: string) => Boolean(env[name])
  const plain = plainNames.filter(isSet)
  return {
    names: [...plain, ...secretNames.filter(isSet)],
    plain: Object.fromEntries(plain.map(name => [name, env[name] as string])),
  }
}

/**
 * Returns `env` for a harness that resolves references from its own environment; empty if no variable is set.
 */
export function referringEnv(
  { names }: ServerVariables,
  reference: (name: string) => string,
): { env?: Record<string, string> } {
  return envOf(names.map(name => [name, reference(name)]))
}

/**
 * Returns `env` for a harness with an environment other than the terminal's: values, and references for
 * secrets.
 */
export function literalEnv(
  { names, plain }: ServerVariables,
  reference: (name: string) => string,
): { env?: Record<string, string> } {
  return envOf(names.map(name => [name, plain[name] ?? reference(name)]))
}

function envOf(entries: [string, string][]): { env?: Record<string, string> } {
  return entries.length > 0 ? { env: Object.fromEntries(entries) } : {}
}
