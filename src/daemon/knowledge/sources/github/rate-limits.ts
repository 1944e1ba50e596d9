/** The parts of a reply that tell of limits; names of headers in lower case. */
export interface LimitReply {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** What GitHub says of an error, as far as it says anything. */
  message: string
  /** GraphQL tells of limits in replies that succeed. */
  isLimited?: boolean
}

export interface Limit {
  /** For how long GitHub asks to be left alone. */
  waitMs: number
  /** `primary` is the budget of an hour, `secondary` everything else that it does not like. */
  limit: 'primary' | 'secondary'
}

/** What GitHub's own guide asks for where it names no time. */
const unnamedMs = 60_000
/** Budgets are for an hour. What names a longer time has another clock than its own headers. */
const longestMs = 3_660_000
const secondary = /secondary rate limit|abuse detection|wait a few minutes/iu

/**
 * For how long a reply asks to be left alone: `retry-after`, then `x-ratelimit-reset`, then a minute.
 * @returns undefined for a reply that is no limit: a plain 403 is one of rights
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
 * For how long nothing more may be asked after a reply that was the last of its budget; 0 while there is more, and where
 * the reply names a time itself.
 */
export function spentFor({ headers }: Pick<LimitReply, 'headers'>, now: number): number {
  const isSpent = headers['x-ratelimit-remaining'] === '0' && headers['retry-after'] === undefined
  const waitMs = isSpent ? resetMs({ headers }, now) : undefined
  return waitMs === undefined ? 0 : clamped(waitMs)
}

/** The server's clock when it answered; ours where it does not say. */
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

/** By the clock that the reset was written with, so that it does not matter how wrong ours is. */
function resetMs({ headers }: Pick<LimitReply, 'headers'>, now: number): number | undefined {
  const seconds = Number(headers['x-ratelimit-reset'])
  if (!Number.isFinite(seconds) || seconds <= 0) return undefined
  // Both are written in whole seconds: one more is safe.
  return seconds * 1000 - serverTime({ headers }, now) + 1000
}

function clamped(ms: number): number {
  return Math.min(Math.max(ms, 1000), longestMs)
}
