import { isRecord } from '../text/json-of.js'

/** Returns true if agent.yaml names a port. @param given its values before defaults. */
export function choosesPort(given: unknown): boolean {
  const daemon = isRecord(given) ? given.daemon : undefined
  return isRecord(daemon) && daemon.port !== undefined && daemon.port !== null
}
