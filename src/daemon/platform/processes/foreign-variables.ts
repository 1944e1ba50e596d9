/**
 * The environment for programs of others: without our variables, which contain keys and the daemon's address.
 */
export function foreignVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('SERVICE_') && name !== 'FORCE_COLOR'),
  )
}
