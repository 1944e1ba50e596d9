/**
 * What a server did instead of answering. `unreachable`: no answer, or none that can be read, or a fault of the
 * server's own; asking again may help. `too_large`: more than was asked for. `limited`: we ask too often, and the wait is longer than a pass waits.
 * `unauthorized`: the token is not valid. `forbidden`, `missing`, `refused`: the answer to this one request.
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
  /** Of HTTP. */
  status?: number
  /** The server's own number or word. */
  code?: number | string
  retryAfterMs?: number
  cause?: unknown
}

/** A request to a server that gave nothing, in words that hold no header and no token. */
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

/** Whether an error is a fault of one of these kinds. */
export function isFault(error: unknown, ...kinds: ApiFaultKind[]): error is ApiFault {
  return error instanceof ApiFault && kinds.includes(error.kind)
}
