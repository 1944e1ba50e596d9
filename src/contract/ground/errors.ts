/** Stable error codes and the HTTP status of each (rules.md#conventions). */
export const errorStatus = {
  validation_failed: 400,
  invalid_json: 400,
  unauthenticated: 401,
  invalid_credentials: 401,
  forbidden: 403,
  scope_violation: 403,
  forbidden_host: 403,
  other_user: 403,
  forbidden_origin: 403,
  plugin_capability_denied: 403,
  forbidden_project: 403,
  not_found: 404,
  login_disabled: 404,
  no_embedding: 404,
  no_such_session: 404,
  not_indexed: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  already_superseded: 409,
  already_running: 409,
  confirm_required: 400,
  confirm_invalid: 400,
  secret_store_locked: 409,
  upload_conflict: 409,
  stale_generation: 409,
  gone: 410,
  length_required: 411,
  payload_too_large: 413,
  upload_too_long: 413,
  unsupported_media_type: 415,
  wrong_workspace: 421,
  rate_limited: 429,
  uri_too_long: 414,
  headers_too_large: 431,
  backup_invalid: 422,
  backup_sealed: 422,
  install_failed: 500,
  backup_failed: 500,
  internal: 500,
  not_implemented: 501,
  mutations_frozen: 503,
  starting: 503,
  overloaded: 503,
  secret_store_damaged: 503,
  secret_store_unavailable: 503,
  storage_unavailable: 503,
  insufficient_storage: 507,
  provider_failed: 502,
} as const

export type ErrorCode = keyof typeof errorStatus

/** One fault of a request: `path` is dotted, empty for the whole body. */
export interface ErrorDetail {
  path: string
  message: string
}

export interface ErrorBody {
  error: string
  code: string
  details?: unknown
  requestId?: string
  /** The next step, a command or a sentence, with which `error` ends. */
  next?: string
}

/**
 * An error that callers can act on: a stable code, and a sentence that quotes their value and says what to do
 * next. Any other error is a bug and results in 500 without its text.
 */
export class AppError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details?: unknown,
    options?: { cause?: unknown; headers?: Record<string, string>; fields?: Record<string, unknown> },
  ) {
    super(message, { cause: options?.cause })
    this.name = 'AppError'
    this.headers = options?.headers ?? (code === 'starting' ? { 'retry-after': '1' } : {})
    this.fields = options?.fields ?? {}
  }

  readonly headers: Record<string, string>
  /** Further fields of the reply, where a route documents some. */
  readonly fields: Record<string, unknown>

  get status(): number {
    return errorStatus[this.code]
  }
}

/**
 * Creates the error for something that does not exist, or that the caller must not see.
 * @param next how to find what exists; clients show it as the next step, others as the end of the sentence
 */
export function notFound(message: string, next: string, fields: Record<string, unknown> = {}): AppError {
  return new AppError('not_found', `${message}; ${next}`, undefined, { fields: { ...fields, next } })
}
