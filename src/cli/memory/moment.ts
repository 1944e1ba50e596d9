const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const relative = /^(\d{1,5})\s*(m|min|h|d|w|mo|y)$/
const relativeMs: Record<string, number> = {
  m: minute,
  min: minute,
  h: hour,
  d: day,
  w: 7 * day,
  mo: 30 * day,
  y: 365 * day,
}

/**
 * A moment as people type it: an ISO 8601 date or date-time, `today`, `yesterday`, or a span before now such as
 * `30m`, `12h`, `7d`, `2w`, `6mo`, `1y`.
 * @returns ISO 8601 in UTC. @throws RangeError naming the value and what is allowed.
 */
export function parseMoment(text: string, now: number): string {
  const value = text.trim().toLowerCase()
  if (value === 'today') return new Date(startOfDay(now)).toISOString()
  if (value === 'yesterday') return new Date(startOfDay(startOfDay(now) - 1)).toISOString()
  const [, count, unit] = relative.exec(value) ?? []
  if (count && unit) return new Date(now - Number(count) * relativeMs[unit]!).toISOString()
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(value) ?? []
  if (day && isInCalendar(day) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString()
  throw new RangeError(`"${text}" is no moment: use 2026-01-31, 2026-01-31T09:00:00Z, 7d, 12h or yesterday`)
}

function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0)
}

/** Date takes the 31st of any month for a day of the next one. */
function isInCalendar(day: string): boolean {
  const midnight = Date.parse(day)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
}
