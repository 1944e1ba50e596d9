/** Environment variables, which may be deleted. */
type Environment = Record<string, string | undefined>

/**
 * Deletes our variables whose value is empty or an unresolved reference: for a variable that is not set,
 * clients pass '', $NAME, ${NAME}, ${env:NAME} or {env:NAME}.
 */
export function deleteUnresolved(env: Environment): void {
  for (const name of Object.keys(env)) {
    const isOurs = name.startsWith('SERVICE_')
    if (isOurs && (env[name] === '' || isReference(env[name] ?? '', name))) delete env[name]
  }
}

function isReference(value: string, name: string): boolean {
  return value === `$${name}` || /^\$?\{(?:env:)?([A-Z_]+)(?::-[^}]*)?\}$/u.exec(value)?.[1] === name
}

/** Describes the origin of the workspace's path, for users who expected another one. */
export function workspaceChoice(
  { SERVICE_DAEMON_URL, SERVICE_WORKSPACE }: Environment,
  flag: string | undefined,
): string {
  if (SERVICE_DAEMON_URL) return 'of the daemon in SERVICE_DAEMON_URL'
  if (flag) return 'from --workspace'
  return SERVICE_WORKSPACE ? 'from SERVICE_WORKSPACE' : 'the default: SERVICE_WORKSPACE is not set'
}
