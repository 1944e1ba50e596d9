/** Facts about a failed request. */
export interface ServiceErrorInfo {
  /** Stable code of the service, or `connection_failed`, `timeout`, `not_running` from this client. */
  code: string
  /** HTTP status; 0 if there was no reply. */
  status?: number
  details?: unknown
  requestId?: string
  /** The whole JSON reply: some errors have further fields, for example `currentVersion`. */
  body?: Record<string, unknown>
  cause?: unknown
}

/** Every error that this client throws for a request. */
export class ServiceError extends Error {
  override readonly name: string = 'ServiceError'
  readonly code: string
  readonly status: number
  readonly details: unknown
  readonly requestId: string | undefined
  readonly body: Record<string, unknown>

  constructor(message: string, info: ServiceErrorInfo) {
    super(message, { cause: info.cause })
    this.code = info.code
    this.status = info.status ?? 0
    this.details = info.details
    this.requestId = info.requestId
    this.body = info.body ?? {}
  }
}

/** The service refuses the fields of a request (400, 413, 415, 422). */
export class InvalidRequestError extends ServiceError {
  override readonly name = 'InvalidRequestError'
}

/** The key is missing, wrong, expired or revoked (401). */
export class AuthenticationError extends ServiceError {
  override readonly name = 'AuthenticationError'
}

/** The key may not do this (403). */
export class PermissionError extends ServiceError {
  override readonly name = 'PermissionError'
}

/** The memory, session or document does not exist, or the caller may not see it (404, 410). */
export class NotFoundError extends ServiceError {
  override readonly name = 'NotFoundError'
}

/** The row is in another state than the request expects (409). */
export class ConflictError extends ServiceError {
  override readonly name = 'ConflictError'
}

/** Too many requests, also after retries (429). */
export class RateLimitError extends ServiceError {
  override readonly name = 'RateLimitError'
}

/** The service cannot answer now (5xx). */
export class UnavailableError extends ServiceError {
  override readonly name = 'UnavailableError'
}

/** No daemon was found, or the connection failed or took too long. */
export class ConnectionError extends ServiceError {
  override readonly name = 'ConnectionError'
}

const classes: Readonly<Record<number, typeof ServiceError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: NotFoundError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: InvalidRequestError,
  429: RateLimitError,
}

/** Reads the error out of a reply that is not a success. */
export async function errorOf(response: Response): Promise<ServiceError> {
  const text = await response.text()
  const body = jsonOf(text)
  const { status } = response
  const Kind = classes[status] ?? (status >= 500 ? UnavailableError : ServiceError)
  const message = typeof body.error === 'string' ? body.error : `the reply has status ${status}`
  return new Kind(message, {
    code: typeof body.code === 'string' ? body.code : String(body.status ?? 'unknown'),
    status,
    details: body.details,
    requestId: response.headers.get('x-request-id') ?? undefined,
    body,
  })
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
