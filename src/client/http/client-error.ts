import { formatOrigin, type Origin } from './origin.js'

/** Details of a failed call. */
export interface ClientErrorInfo {
  /**
   * The daemon's stable code, or one of the client's own: `daemon_unavailable`, `daemon_not_started`,
   * `foreign_process`, `launch_failed`, `no_driver`, `timeout`, `connection_lost` or `invalid_environment`.
   */
  code: string
  /** HTTP status; 0 if no reply arrived. */
  status?: number
  details?: unknown
  requestId?: string
  /**
   * The whole JSON body of an error reply: outcomes such as `version_conflict` have more fields than a
   * message.
   */
  body?: Record<string, unknown>
  /** Suggestions, each a sentence or a command. */
  nextSteps?: readonly string[]
  cause?: unknown
}

export class ClientError extends Error {
  readonly code: string
  readonly status: number
  readonly details: unknown
  readonly requestId: string | undefined
  readonly body: Record<string, unknown> | undefined
  readonly nextSteps: readonly string[]

  constructor(message: string, info: ClientErrorInfo) {
    super(message, { cause: info.cause })
    this.name = 'ClientError'
    this.code = info.code
    this.status = info.status ?? 0
    this.details = info.details
    this.requestId = info.requestId
    this.body = info.body
    this.nextSteps = info.nextSteps ?? []
  }
}

/** Creates the error for a reply that did not arrive in time. */
export function timeoutError(
  origin: Origin,
  { method, path, timeoutMs }: { method: string; path: string; timeoutMs: number },
): ClientError {
  return new ClientError(
    `no answer from ${formatOrigin(origin)} to ${method} ${path} within ${timeoutMs / 1000} s`,
    { code: 'timeout', nextSteps: ['memory daemon status', 'memory daemon logs'] },
  )
}

/** Creates the error for a program that did not prove to be the daemon of the workspace. */
export function wrongPeerError(origin: Origin, workspace: string): ClientError {
  return new ClientError(
    `the program at ${formatOrigin(origin)} is not the daemon of ${workspace}; nothing was sent to it`,
    { code: 'daemon_unavailable', nextSteps: ['memory daemon status', 'memory daemon start'] },
  )
}
