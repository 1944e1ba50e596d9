/**
 * The environment of the daemon for a program that is none of ours: without our own variables, which hold keys and the
 * address of this daemon.
 */
export function foreignVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('SERVICE_') && name !== 'FORCE_COLOR'),
  )
}
