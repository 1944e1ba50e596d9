/** Where a daemon answers. `https` only with SERVICE_DAEMON_URL. */
export interface Origin {
  protocol: 'http:' | 'https:'
  host: string
  port: number
}

export function formatOrigin({ protocol, host, port }: Origin): string {
  return `${protocol}//${host.includes(':') ? `[${host}]` : host}:${port}`
}
