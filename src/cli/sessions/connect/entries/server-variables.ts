/** Variables that our MCP server, and a daemon that it starts, go by; the workspace is named by a flag. */
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

/** Their values are never written anywhere. */
const secretNames = [
  'SERVICE_API_KEY',
  'SERVICE_TOKEN',
  'SERVICE_ADMIN_USERNAME',
  'SERVICE_ADMIN_PASSWORD',
  'SERVICE_ADMIN_PASSWORD_HASH',
] as const

/** What is set where a harness is connected, of what our server goes by. */
export interface ServerVariables {
  names: readonly string[]
  /** Values that may stand in a settings file, by name. */
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

/** `env` of an entry for a harness that fills references in from its own environment; nothing when nothing is set. */
export function referringEnv(
  { names }: ServerVariables,
  reference: (name: string) => string,
): { env?: Record<string, string> } {
  return envOf(names.map(name => [name, reference(name)]))
}

/**
 * `env` of an entry for a harness whose own environment is not the terminal's: values, and references for what is
 * secret.
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
