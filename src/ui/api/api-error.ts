import { messageOf } from '../../lib/text/message-of.js'

/** A failed request, with advice for the user of the page. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly status: number,
    readonly next: string,
    readonly details: readonly string[] = [],
  ) {
    super(message)
    this.name = 'ApiError'
  }
}

const remedies: Readonly<Record<string, string>> = {
  unreachable: 'Start it with memory daemon start. The page reconnects automatically.',
  unauthenticated: 'Sign in again.',
  forbidden: 'Sign in with a credential that has this permission.',
  rate_limited: 'Wait a minute, then try again.',
  starting: 'The daemon is still starting; try again in a moment.',
  overloaded: 'Try again in a moment.',
  mutations_frozen:
    'The kill switch is on. To allow changes: memory config set memory.pipelineV2.mutationsFrozen false',
  insufficient_storage: 'Free some disk space. Reading still works.',
  version_conflict: 'It changed after it was loaded: reload and try again.',
  internal: 'Find the request in the log: memory daemon logs.',
}

interface Failure {
  error?: unknown
  code?: unknown
  details?: unknown
  requestId?: unknown
}

/** Creates the error of an unsuccessful reply. */
export function errorOf(status: number, body: unknown): ApiError {
  const { error, code, details, requestId } = (
    typeof body === 'object' && body !== null ? body : {}
  ) as Failure
  const word = typeof code === 'string' ? code : 'unknown'
  const said = typeof error === 'string' ? error : `Unexpected reply from the daemon (status ${status})`
  const message =
    word === 'internal' && typeof requestId === 'string' ? `${said} (request ${requestId})` : said
  return new ApiError(message, word, status, nextStep(word, status), linesOf(details))
}

export function unreachable(): ApiError {
  return new ApiError('The daemon does not respond', 'unreachable', 0, remedies.unreachable ?? '')
}

/** Converts any thrown value to an error for display. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  const text = messageOf(thrown)
  return new ApiError(text, 'page', 0, 'Reload the page. If the error persists, it is a bug in the page.')
}

/** Formats the failure and the next step in one line. */
export function failureText(thrown: unknown): string {
  const { message, next } = asApiError(thrown)
  return `${message}. ${next}`
}

function nextStep(code: string, status: number): string {
  const known = remedies[code]
  if (known) return known
  if (status === 404) return 'It may have been removed: go back to the list.'
  if (status === 409) return 'Reload and check what changed, then try again.'
  return status >= 500 ? 'Try again, or run memory health.' : 'Correct the request and try again.'
}

function linesOf(details: unknown): string[] {
  if (!Array.isArray(details)) return []
  return details.flatMap(detail => {
    const { path, message } = (detail ?? {}) as { path?: unknown; message?: unknown }
    if (typeof message !== 'string') return []
    return [typeof path === 'string' && path !== '' ? `${path}: ${message}` : message]
  })
}
