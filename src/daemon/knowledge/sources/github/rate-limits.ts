/** The parts of a reply that describe limits; header names in lower case. */
export interface LimitReply {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** GitHub's error message, if any. */
  message: string
  /** GraphQL reports limits in successful replies. */
  isLimited?: boolean
}

export interface Limit {
  /** Delay that GitHub asks for. */
  waitMs: number
  /** `primary` is the hourly budget, `secondary` any other limit. */
  limit: 'primary' | 'secondary'
}

/** GitHub's guide recommends this delay if the reply names none. */
const unnamedMs = 60_000
/** Budgets are hourly; a longer delay comes from inconsistent clocks. */
const longestMs = 3_660_000
const secondary = /secondary rate limit|abuse detection|wait a few minutes/iu

/**
 * Returns the delay that a reply asks for: `retry-after`, then `x-ratelimit-reset`, then a minute.
 * @returns undefined if the reply is not a limit; a plain 403 is a missing permission
 */
export function limitOf(reply: LimitReply, now: number): Limit | undefined {
  const { status, headers, message } = reply
  const isSpent = headers['x-ratelimit-remaining'] === '0'
  const isSecondary = secondary.test(message)
  const isRefused = status === 403 && (isSpent || isSecondary || headers['retry-after'] !== undefined)
  if (status !== 429 && !isRefused && !reply.isLimited) return undefined
  const limit = isSpent && !isSecondary ? 'primary' : 'secondary'
  const waitMs = retryAfterMs(reply, now) ?? (isSpent ? resetMs(reply, now) : undefined) ?? unnamedMs
  return { waitMs: clamped(waitMs), limit }
}

/**
 * Returns the delay after a reply that used up its budget; 0 while there is budget left, or if the reply
 * names a delay itself.
 */
export function budgetDelay({ headers }: Pick<LimitReply, 'headers'>, now: number): number {
  const isSpent = headers['x-ratelimit-remaining'] === '0' && headers['retry-after'] === undefined
  const waitMs = isSpent ? resetMs({ headers }, now) : undefined
  return waitMs === undefined ? 0 : clamped(waitMs)
}

/** Returns the server's clock at the time of the reply; the local clock if the reply has no date. */
export function serverTime({ headers }: Pick<LimitReply, 'headers'>, now: number): number {
  const date = Date.parse(String(headers.date ?? ''))
  return Number.isNaN(date) ? now : date
}

function retryAfterMs({ headers }: LimitReply, now: number): number | undefined {
  const text = String(headers['retry-after'] ?? '').trim()
  if (/^\d+$/u.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : date - serverTime({ headers }, now)
}

/** Uses the server's clock, so that an incorrect local clock does not matter. */
function resetMs({ headers }: Pick<LimitReply, 'headers'>, now: number): number | undefined {
  const seconds = Number(headers['x-ratelimit-reset'])
  if (!Number.isFinite(seconds) || seconds <= 0) return undefined
  // Both times are whole seconds, so add one to be safe.
  return seconds * 1000 - serverTime({ headers }, now) + 1000
}

function clamped(ms: number): number {
  return Math.min(Math.max(ms, 1000), longestMs)
}
