export interface CallOptions {
  /** Folder of the workspace; `SERVICE_WORKSPACE` or the default when absent. */
  workspace?: string
  /** Sent as `x-service-agent-id`. */
  agent?: string
  /** Gives the credential to send instead of SERVICE_API_KEY; asked once the daemon is there. */
  credential?: () => string | undefined
  /** Sent as they are; a credential and the agent come on top. */
  headers?: Record<string, string>
  /** Whole exchange, without the time a daemon needs to start. */
  timeoutMs?: number
  /** Gives the call up; it rejects with an AbortError. */
  signal?: AbortSignal
  /** Start or replace a daemon when needed; false fails with `daemon_not_started` instead. */
  autostart?: boolean
  /** Told what the caller waits for, for example `starting the daemon`. */
  onWait?: (what: string) => void
}

/** Who asks: the credential of the call or of the environment, and the agent. */
export function headersOf({
  agent,
  credential,
  headers,
}: Pick<CallOptions, 'agent' | 'credential' | 'headers'>): Record<string, string> {
  const key = credential?.() || process.env.SERVICE_API_KEY || process.env.SERVICE_TOKEN
  return {
    ...headers,
    ...(key && { authorization: `Bearer ${key}` }),
    ...(agent && { 'x-service-agent-id': agent }),
  }
}
