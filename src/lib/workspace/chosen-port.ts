import { isRecord } from '../text/json-of.js'

/** Returns true if agent.yaml names a port. @param given its values before defaults. */
export function choosesPort(given: unknown): boolean {
  const daemon = isRecord(given) ? given.daemon : undefined
  return isRecord(daemon) && daemon.port !== undefined && daemon.port !== null
}

type ListenError = NodeJS.ErrnoException & { port?: number; address?: string }

/**
 * Returns true if a listen failed because its port cannot be had. Windows also reserves blocks of ports, for
 * Hyper-V and containers, and refuses those with EACCES.
 */
export function isPortTaken(error: unknown, platform: NodeJS.Platform = process.platform): boolean {
  const { code, syscall } = error as ListenError
  return code === 'EADDRINUSE' || (platform === 'win32' && code === 'EACCES' && syscall === 'listen')
}

/** Explains such an error, with the next step. */
export function portTakenText({ code, port, address }: ListenError): string {
  const free = 'set SERVICE_PORT (or daemon.port in agent.yaml) to a free one'
  return code === 'EACCES'
    ? `port ${port} on ${address} is reserved by Windows (netsh int ipv4 show excludedportrange protocol=tcp lists such ports); ${free}`
    : `port ${port} on ${address} is taken by another program; stop it or ${free}`
}
