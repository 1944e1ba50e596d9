import type { ErrorDetail } from '../../contract/ground/errors.js'

/** Advice for a model by error code. */
export type Remedies = Readonly<Record<string, string>>

/** A failed call: the fields of a ClientError, or of any other error. */
interface Failure {
  message: string
  code: string
  details?: unknown
  nextSteps?: readonly string[]
}

/** Advice by code for all tools; other codes need the user. */
const general: Remedies = {
  validation_failed: 'Correct the arguments named above and call again.',
  payload_too_large: 'Send less text.',
  mutations_frozen: 'Continue without saving and tell the user that writes are frozen.',
  rate_limited: 'Call again after the time above; if that is long, continue without it.',
  starting: 'Call again in a few seconds.',
  overloaded: 'Call again in a few seconds.',
  timeout: 'Call again once; if it fails again, tell the user to run `memory health`.',
  connection_lost: 'Before you repeat it, check with memory_search if the change was made.',
  unauthenticated: 'Tell the user that the memory server needs a valid SERVICE_API_KEY.',
  plugin_capability_denied: 'Continue without this tool and tell the user the command above that allows it.',
  forbidden: 'The credential of this server does not allow it; tell the user.',
  scope_violation: 'The credential of this server has no access to it; tell the user.',
}

/**
 * Formats a failure with the faulty argument and the next step (mcp.md 4.9).
 * @param remedies advice of the tool, which takes precedence.
 */
export function failureText(
  { message, code, details, nextSteps = [] }: Failure,
  remedies: Remedies = {},
): string {
  const next = remedies[code] ?? general[code] ?? askTheUser(nextSteps)
  return [`${message} (${code})`, ...faultsOf(details, message).map(fault => `- ${fault}`), next].join('\n')
}

function askTheUser(nextSteps: readonly string[]): string {
  return nextSteps.length > 0
    ? `Tell the user the remedy: ${nextSteps.join('; ')}`
    : 'Continue without it and tell the user to run `memory health`.'
}

function faultsOf(details: unknown, message: string): string[] {
  if (!Array.isArray(details)) return []
  const faults = (details as ErrorDetail[]).map(detail =>
    [detail.path, detail.message].filter(Boolean).join(': '),
  )
  return faults.filter(fault => fault !== message)
}
