/** The period of validity: `validFrom` inclusive, `validUntil` exclusive; ISO 8601. */
export interface Validity {
  validFrom?: string
  validUntil?: string
}

const months = 'january february march april may june july august september october november december'.split(
  ' ',
)
const days = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')
const month = `(?:${months.join('|')})`
const date = `(?:\\d{4}-\\d{2}-\\d{2}|\\d{1,2}(?:st|nd|rd|th)? ${month} \\d{4}|${month} \\d{1,2}(?:st|nd|rd|th)?,? \\d{4}|${month} \\d{4}|(?:next )?(?:${days.join('|')}))`
const beginning = new RegExp(
  `(?:^|(?<![ ,])[ ,]+)(?:from|since|starting(?: from)?|as of) (${date})(?: on(?:wards?)?)?(?=[ ,.]|$),?`,
  'iu',
)
const end = new RegExp(`(?:^|(?<![ ,])[ ,]+)(?:until|till|through) (${date})(?=[ ,.]|$),?`, 'iu')
const dayMs = 86_400_000

/**
 * Extracts the period at the beginning or end of a statement (`since January 2026`, `until Friday`).
 * @param at time of the statement; weekdays are relative to it
 * @returns the statement without it, and the period
 */
export function withoutValidity(statement: string, at: string): { rest: string; validity: Validity } {
  const from = beginning.exec(statement)
  const validFrom = from?.[1] && instantOf(from[1], at)?.first
  const later = validFrom === undefined ? statement : cut(statement, from as RegExpExecArray)
  const until = end.exec(later)
  const validUntil = until?.[1] && instantOf(until[1], at)?.last
  const rest = validUntil === undefined ? later : cut(later, until as RegExpExecArray)
  return {
    rest,
    validity: {
      ...(validFrom && { validFrom: validFrom.toISOString() }),
      ...(validUntil && { validUntil: validUntil.toISOString() }),
    },
  }
}

function cut(text: string, { index, 0: found }: RegExpExecArray): string {
  return `${text.slice(0, index)} ${text.slice(index + found.length)}`.trim()
}

/**
 * Returns the start of a day or a month; `last` ends a period until then: after a day, but before a month.
 */
function instantOf(word: string, at: string): { first: Date; last: Date } | undefined {
  const text = word
    .toLowerCase()
    .replace(/(\d)(?:st|nd|rd|th)/u, '$1')
    .replace(',', '')
  const parts = text.split(/[ -]/u)
  const named = months.indexOf(parts.find(part => months.includes(part)) ?? '')
  const numbers = parts.map(Number).filter(Number.isInteger)
  if (/^\d{4}-/u.test(text)) return wholeDay(new Date(`${text}T00:00:00.000Z`))
  if (named >= 0) {
    const year = numbers.find(number => number > 31)
    const day = numbers.find(number => number <= 31)
    if (year === undefined) return undefined
    if (day !== undefined) return wholeDay(new Date(Date.UTC(year, named, day)))
    const first = new Date(Date.UTC(year, named, 1))
    return { first, last: first }
  }
  const weekday = days.indexOf(parts.at(-1) ?? '')
  const said = Date.parse(at)
  if (weekday < 0 || Number.isNaN(said)) return undefined
  const today = new Date(said - (said % dayMs))
  const ahead = (weekday - today.getUTCDay() + 7) % 7 || 7
  return wholeDay(new Date(today.getTime() + ahead * dayMs))
}

function wholeDay(first: Date): { first: Date; last: Date } | undefined {
  return Number.isNaN(first.getTime()) ? undefined : { first, last: new Date(first.getTime() + dayMs) }
}
