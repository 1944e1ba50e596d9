import { messageOf } from '../../lib/text/message-of.js'

/** A request that failed, with what a reader of the page can do about it. */
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
  unreachable:
    'Look whether the daemon runs: memory daemon status. The page goes on by itself once it answers.',
  unauthenticated: 'Sign in again.',
  forbidden: 'Sign in with a credential that has this permission.',
  rate_limited: 'Wait a minute, then try again.',
  starting: 'The daemon is still loading; try again in a moment.',
  overloaded: 'Try again in a moment.',
  mutations_frozen:
    'The kill switch is on. To let changes through again: memory config set memory.pipelineV2.mutationsFrozen false',
  insufficient_storage: 'Free some disk space; reading goes on meanwhile.',
  version_conflict: 'It has changed since it was shown: reload it and try again.',
  internal: 'Look at memory daemon logs for the request named here.',
}

interface Failure {
  error?: unknown
  code?: unknown
  details?: unknown
  requestId?: unknown
}

/** Of a reply that is no success. */
export function errorOf(status: number, body: unknown): ApiError {
  const { error, code, details, requestId } = (
    typeof body === 'object' && body !== null ? body : {}
  ) as Failure
  const word = typeof code === 'string' ? code : 'unknown'
  const said = typeof error === 'string' ? error : `the daemon answered ${status}`
  const message =
    word === 'internal' && typeof requestId === 'string' ? `${said} (request ${requestId})` : said
  return new ApiError(message, word, status, nextStep(word, status), linesOf(details))
}

export function unreachable(): ApiError {
  return new ApiError('the daemon does not answer', 'unreachable', 0, remedies.unreachable ?? '')
}

/** Whatever was thrown as an error that can be shown. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  const text = messageOf(thrown)
  return new ApiError(text, 'page', 0, 'Reload the page; if it comes again, this is a fault of the page.')
}

/** What went wrong and what to do next, in one line. */
export function failureText(thrown: unknown): string {
  const { message, next } = asApiError(thrown)
  return `${message}. ${next}`
}

function nextStep(code: string, status: number): string {
  const known = remedies[code]
  if (known) return known
  if (status === 404) return 'It may have been removed since the page was loaded: go back to the list.'
  if (status === 409) return 'Reload, and look at what changed before trying again.'
  return status >= 500
    ? 'Try again; memory doctor looks at what is wrong.'
    : 'Mend what is named and try again.'
}

function linesOf(details: unknown): string[] {
  if (!Array.isArray(details)) return []
  return details.flatMap(detail => {
    const { path, message } = (detail ?? {}) as { path?: unknown; message?: unknown }
    if (typeof message !== 'string') return []
    return [typeof path === 'string' && path !== '' ? `${path}: ${message}` : message]
  })
}
