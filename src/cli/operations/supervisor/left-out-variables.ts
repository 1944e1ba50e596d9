/** What the file of a supervisor has, and what programs other than the daemon read. */
const elsewhere = new Set([
  'SERVICE_WORKSPACE',
  ...['SERVICE_DAEMON_URL', 'SERVICE_API_KEY', 'SERVICE_TOKEN', 'SERVICE_NO_AUTOSTART'],
  ...['SERVICE_NO_HOOKS', 'SERVICE_BYPASS', 'SERVICE_PROJECT', 'SERVICE_PROMPT_SUBMIT_TIMEOUT'],
])

/** Variables of a terminal that a daemon started there would read, and one of a supervisor does not get. */
export function leftOutVariables(env: NodeJS.ProcessEnv): string[] {
  const named = Object.entries(env).filter(([name, value]) => name.startsWith('SERVICE_') && value)
  return named
    .map(([name]) => name)
    .filter(name => !elsewhere.has(name))
    .sort()
}

/** A line for a person about each of them. */
export function leftOutNotes(env: NodeJS.ProcessEnv): string[] {
  return leftOutVariables(env).map(name => {
    const isAddress = name === 'SERVICE_PORT' || name === 'SERVICE_HOST'
    const instead = isAddress
      ? `memory config set daemon.${name.slice('SERVICE_'.length).toLowerCase()} ${env[name]}`
      : 'it may be a secret, and is not written into the file. Settings belong into agent.yaml'
    return `${name} of this terminal does not count there: ${instead}`
  })
}
