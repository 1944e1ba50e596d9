/**
 * Kinds of failed requests.
 * - `unreachable`: no readable reply or a server error; retrying may help.
 * - `too_large`: the reply exceeds the limit.
 * - `limited`: rate-limited for longer than a sync waits.
 * - `unauthorized`: the token is not valid.
 * - `forbidden`, `missing`, `refused`: the reply to this one request.
 */
export type ApiFaultKind =
  | 'unreachable'
  | 'too_large'
  | 'limited'
  | 'unauthorized'
  | 'forbidden'
  | 'missing'
  | 'refused'

export interface ApiFaultDetails {
  /** HTTP status. */
  status?: number
  /** The server's own error number or word. */
  code?: number | string
  retryAfterMs?: number
  cause?: unknown
}

/** A failed API request; its message contains neither headers nor tokens. */
export class ApiFault extends Error {
  readonly kind: ApiFaultKind
  readonly status: number | undefined
  readonly code: number | string | undefined
  readonly retryAfterMs: number | undefined

  constructor(kind: ApiFaultKind, message: string, details: ApiFaultDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'ApiFault'
    this.kind = kind
    this.status = details.status
    this.code = details.code
    this.retryAfterMs = details.retryAfterMs
  }
}

export function isFault(error: unknown, ...kinds: ApiFaultKind[]): error is ApiFault {
  return error instanceof ApiFault && kinds.includes(error.kind)
}
