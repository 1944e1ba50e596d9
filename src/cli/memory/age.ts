const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const units = [
  { ms: 365 * day, name: 'y' },
  { ms: 30 * day, name: 'mo' },
  { ms: day, name: 'd' },
  { ms: hour, name: 'h' },
  { ms: minute, name: 'min' },
] as const

/**
 * How long ago a moment was: `just now`, `5 min ago`, `3 d ago`, `in 2 h`.
 * @param iso an ISO 8601 date-time; anything else is given back as it is.
 * @param now milliseconds since the epoch.
 */
export function formatAge(iso: string, now: number): string {
  const age = formatSpan(iso, now)
  if (age === undefined) return iso
  if (age === '') return 'just now'
  return Date.parse(iso) > now ? `in ${age}` : `${age} ago`
}

/** The same without words around it, for a table: `now`, `5 min`, `3 d`. */
export function formatShortAge(iso: string, now: number): string {
  const age = formatSpan(iso, now)
  return age === '' ? 'now' : (age ?? iso)
}

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
  const looksIso = /^\d{4}-\d{2}-\d{2}/.test(value) && !Number.isNaN(Date.parse(text))
  if (looksIso) return new Date(text).toISOString()
  throw new RangeError(`"${text}" is no moment: use 2026-01-31, 2026-01-31T09:00:00Z, 7d, 12h or yesterday`)
}

/** @returns '' within one minute of now, undefined when `iso` is no date. */
function formatSpan(iso: string, now: number): string | undefined {
  const span = Math.abs(now - Date.parse(iso))
  if (Number.isNaN(span)) return undefined
  const unit = units.find(({ ms }) => span >= ms)
  return unit ? `${Math.floor(span / unit.ms)} ${unit.name}` : ''
}

function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0)
}
