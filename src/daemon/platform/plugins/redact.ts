import { clip } from '../../../lib/text/clip.js'
import { withoutSecrets } from '../../../lib/text/without-secrets.js'

/** Names of fields whose values nobody but their owner may read. */
const sensitive =
  /secret|token|passw|passphrase|pwd|api[-_]?key|access[-_]?key|private[-_]?key|authorization|cookie|session|credential/iu
const redacted = '[REDACTED]'
const maxDepth = 6
const maxMembers = 50
const maxText = 1000
const maxLookedAt = 20_000

/**
 * A copy that holds no credential: neither below a key that names one, nor as a text that looks like one. It is small,
 * whatever came.
 */
export function redact(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return redactObject(data, 0)
}

function redactObject(value: object, depth: number): Record<string, unknown> {
  const members = Object.entries(value).slice(0, maxMembers)
  return Object.fromEntries(
    members.map(([key, member]) => [
      redactText(key),
      sensitive.test(key) && member !== null ? redacted : redactValue(member, depth + 1),
    ]),
  )
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) return '[too deep]'
  if (Array.isArray(value)) return value.slice(0, maxMembers).map(member => redactValue(member, depth + 1))
  return redactObject(value, depth)
}

/** A text without what looks like a credential, cut to what a line of the log holds. */
function redactText(text: string): string {
  // Cut before it is looked at, half a credential would stay.
  return text.length > maxLookedAt ? '[too long]' : clip(withoutSecrets(text), maxText)
}
