/** Environment of a process; a variable may be taken out. */
type Environment = Record<string, string | undefined>

/**
 * Takes out variables of ours that the client left empty, or left as the reference that stands in its settings: a
 * variable that is not set is written by clients as '', $NAME, ${NAME}, ${env:NAME} or {env:NAME}.
 */
export function dropUnfilled(env: Environment): void {
  for (const name of Object.keys(env)) {
    const isOurs = name.startsWith('SERVICE_')
    if (isOurs && (env[name] === '' || isReference(env[name] ?? '', name))) delete env[name]
  }
}

function isReference(value: string, name: string): boolean {
  return value === `$${name}` || /^\$?\{(?:env:)?([A-Z_]+)(?::-[^}]*)?\}$/u.exec(value)?.[1] === name
}

/** Who chose the workspace, for a person who expected another. */
export function workspaceChoice(
  { SERVICE_DAEMON_URL, SERVICE_WORKSPACE }: Environment,
  flag: string | undefined,
): string {
  if (SERVICE_DAEMON_URL) return 'of the daemon that SERVICE_DAEMON_URL names'
  if (flag) return 'named by --workspace'
  return SERVICE_WORKSPACE ? 'named by SERVICE_WORKSPACE' : 'the default: no SERVICE_WORKSPACE was passed on'
}
