import type { Registration } from '../../lib/workspace/registration.js'

/** Address of a daemon. `https` occurs only with SERVICE_DAEMON_URL. */
export interface Origin {
  protocol: 'http:' | 'https:'
  host: string
  port: number
  /** The workspace whose daemon must listen there. Absent for a daemon that the user named by its URL. */
  expected?: ExpectedDaemon
}

/** Knowledge that a program on a port must prove before it is sent anything. */
export interface ExpectedDaemon {
  /** Folder of the workspace. */
  workspace: string
  instance: string
  /** Absent if the daemon could not write its registration. */
  registered?: { file: string; text: string; registration: Registration }
}

export function formatOrigin({ protocol, host, port }: Origin): string {
  return `${protocol}//${host.includes(':') ? `[${host}]` : host}:${port}`
}
