import { formatOrigin, type Origin } from './origin.js'

/** What the CLI and other clients see when a call does not succeed. */
export interface ClientErrorInfo {
  /** The daemon's stable code, or one of the client's own (`clientCodes`). */
  code: string
  /** HTTP status; 0 when no reply arrived. */
  status?: number
  details?: unknown
  requestId?: string
  /** The whole JSON body of an error reply: outcomes such as `version_conflict` carry more than a message. */
  body?: Record<string, unknown>
  /** What to do next, a sentence or a command each. */
  nextSteps?: readonly string[]
  cause?: unknown
}

/**
 * Codes that the client itself gives: the daemon is not there, may not be started, is not ours, did not start in
 * time, did not answer in time, dropped the connection; the environment is unusable.
 */
export const clientCodes = [
  'daemon_unavailable',
  'daemon_not_started',
  'foreign_process',
  'launch_failed',
  'timeout',
  'connection_lost',
  'invalid_environment',
] as const
export type ClientCode = (typeof clientCodes)[number]

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

/** For a reply that did not come in time. */
export function timeoutError(
  origin: Origin,
  { method, path, timeoutMs }: { method: string; path: string; timeoutMs: number },
): ClientError {
  return new ClientError(
    `no answer from ${formatOrigin(origin)} to ${method} ${path} within ${timeoutMs / 1000} s`,
    { code: 'timeout', nextSteps: ['memory daemon status', 'memory daemon logs'] },
  )
}
