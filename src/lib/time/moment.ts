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
 * Parses a time as people type it: an ISO 8601 date or date-time, `today`, `yesterday`, or a span before now
 * such as `30m`, `12h`, `7d`, `2w`, `6mo`, `1y`. Days, and times without an offset, are those of this
 * machine's time zone.
 * @param edge `end` gives the last millisecond of a day.
 * @returns ISO 8601 in UTC. @throws RangeError with the value and the accepted formats.
 */
export function parseMoment(text: string, now: number, edge: 'begin' | 'end' = 'begin'): string {
  const value = text.trim().toLowerCase()
  const today = new Date(now)
  if (value === 'today') return edgeOf(today, 0, edge)
  if (value === 'yesterday') return edgeOf(today, -1, edge)
  const [, count, unit] = relative.exec(value) ?? []
  if (count && unit) return new Date(now - Number(count) * relativeMs[unit]!).toISOString()
  const [date, rest = ''] = value.split(/(?<=^\d{4}-\d{2}-\d{2})/u)
  if (date !== undefined && isInCalendar(date)) {
    if (rest === '') return edgeOf(new Date(`${date}T00:00`), 0, edge)
    if (!Number.isNaN(Date.parse(text))) return new Date(text).toISOString()
  }
  throw new RangeError(
    `"${text}" is not a valid time: use 2026-01-31, 2026-01-31T09:00:00Z, 7d, 12h or yesterday`,
  )
}

/** The begin or end of a day near a time; days with a change of the clock have other lengths. */
function edgeOf(time: Date, days: number, edge: 'begin' | 'end'): string {
  const at = new Date(time)
  at.setHours(0, 0, 0, 0)
  at.setDate(at.getDate() + days + (edge === 'end' ? 1 : 0))
  return new Date(at.getTime() - (edge === 'end' ? 1 : 0)).toISOString()
}

/** Date accepts the 31st of any month as a day of the next month. */
function isInCalendar(date: string): boolean {
  const midnight = Date.parse(date)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date)
}
