const minute = 60_000
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
 * Formats the time since a moment: `just now`, `5 min ago`, `3 d ago`, `in 2 h`.
 * @param iso an ISO 8601 date-time; any other text is returned unchanged.
 * @param now milliseconds since the epoch.
 */
export function formatAge(iso: string, now: number): string {
  const age = formatSpan(iso, now)
  if (age === undefined) return iso
  const isToCome = Date.parse(iso) > now
  if (age === '') return isToCome ? 'in a moment' : 'just now'
  return isToCome ? `in ${age}` : `${age} ago`
}

/** Formats the time since a moment for a table: `now`, `5 min`, `3 d`. */
export function formatShortAge(iso: string, now: number): string {
  const age = formatSpan(iso, now)
  return age === '' ? 'now' : (age ?? iso)
}

/** @returns '' within one minute of now, undefined if `iso` is not a date. */
function formatSpan(iso: string, now: number): string | undefined {
  const span = Math.abs(now - Date.parse(iso))
  if (Number.isNaN(span)) return undefined
  const unit = units.find(({ ms }) => span >= ms)
  return unit ? `${Math.floor(span / unit.ms)} ${unit.name}` : ''
}
