import { ClientError } from './client-error.js'
import { formatOrigin, type Origin } from './origin.js'

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
