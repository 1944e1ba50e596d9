export interface CallOptions {
  /** Workspace folder; `SERVICE_WORKSPACE` or the default if absent. */
  workspace?: string
  /** Sent as `x-service-agent-id`. */
  agent?: string
  /** Returns the credential to send instead of SERVICE_API_KEY; called once the daemon is reachable. */
  credential?: () => string | undefined
  /** Token of a saved login, for a daemon elsewhere. */
  login?: string
  /** Additional headers, sent unchanged; credential and agent are added to them. */
  headers?: Record<string, string>
  /** Time limit of the whole exchange, excluding the start of a daemon. */
  timeoutMs?: number
  /** Cancels the call, which then rejects with an AbortError. */
  signal?: AbortSignal
  /** If false, the call fails with `daemon_not_started` instead of starting or replacing a daemon. */
  autostart?: boolean
  /** Receives a description of each wait, for example `starting the daemon`. */
  onWait?: (what: string) => void
}

/**
 * Returns the headers for the caller's identity: the credential of the call or of the environment, and the
 * agent.
 */
export function headersOf({
  agent,
  credential,
  login,
  headers,
}: Pick<CallOptions, 'agent' | 'credential' | 'login' | 'headers'>): Record<string, string> {
  const key = credential?.() || process.env.SERVICE_API_KEY || process.env.SERVICE_TOKEN || login
  return {
    ...headers,
    ...(key && { authorization: `Bearer ${key}` }),
    ...(agent && { 'x-service-agent-id': agent }),
  }
}
