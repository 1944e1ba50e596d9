import type { ErrorDetail } from '../../contract/ground/errors.js'

/** What a model can do about an error, by its code. */
export type Remedies = Readonly<Record<string, string>>

/** What is known of a failed call: the fields of a ClientError, or of any other error. */
interface Failure {
  message: string
  code: string
  details?: unknown
  nextSteps?: readonly string[]
}

/** What a model can do about a code, whatever it called; codes that are missing need the user. */
const general: Remedies = {
  validation_failed: 'Correct the arguments named above and call again.',
  payload_too_large: 'Send less text.',
  mutations_frozen: 'Go on without saving and tell the user that writes are frozen.',
  rate_limited: 'Call again once what is said above has passed; if that is long, go on without it.',
  starting: 'Call again in a few seconds.',
  overloaded: 'Call again in a few seconds.',
  timeout: 'Call again once; if it fails again, tell the user to run `memory doctor`.',
  connection_lost: 'Check with memory_search whether the change was made before you repeat it.',
  unauthenticated: 'Tell the user that the memory server needs a valid SERVICE_API_KEY.',
  plugin_capability_denied: 'Go on without this tool; tell the user which command above would allow it.',
  forbidden: 'The credential of this server does not allow it; tell the user.',
  scope_violation: 'The credential of this server does not reach it; tell the user.',
}

/**
 * A failure as a text that says what is wrong with which argument and what to do next (mcp.md 4.9).
 * @param remedies of the tool; they win over the general ones.
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
    ? `Tell the user; what helps: ${nextSteps.join('; ')}`
    : 'Go on without it and tell the user to run `memory doctor`.'
}

function faultsOf(details: unknown, message: string): string[] {
  if (!Array.isArray(details)) return []
  const faults = (details as ErrorDetail[]).map(detail =>
    [detail.path, detail.message].filter(Boolean).join(': '),
  )
  return faults.filter(fault => fault !== message)
}
