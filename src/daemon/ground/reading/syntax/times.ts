import { type Token, textOf } from './tokens.js'

/** Times that a clause states. Dates are ISO 8601; `until` is exclusive. */
export interface Times {
  since?: string
  until?: string
  /** A date without a direction: `in March 2026`. */
  at?: string
  /** As written: `every night at 02:30`. */
  schedule?: string
}

const months = 'january february march april may june july august september october november december'.split(
  ' ',
)
const days = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')
const month = `(?:${months.join('|')}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)`
const day = `(?:${days.join('|')})`
const date = new RegExp(
  `^(?:\\d{4}-\\d{2}(?:-\\d{2})?|\\d{1,2}\\.\\d{1,2}\\.\\d{4}|\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${month}(?:,? \\d{4})?|${month} \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?|${month}(?: \\d{4})?|q[1-4] \\d{4}|20\\d\\d|(?:next |last )?${day}|(?:last|next|this) (?:week|month|year|quarter|sprint|spring|summer|autumn|winter)|today|yesterday|tomorrow)$`,
  'iu',
)
/** Longest date in tokens: `1 of March , 2026`. */
const longest = 5
const dayMs = 86_400_000

/** The first moment of a date and the first moment after it; undefined if it is none. */
export function periodOf(words: string, saidAt: string): { first: Date; next: Date } | undefined {
  const told = words
    .toLowerCase()
    .replace(/(\d)(?:st|nd|rd|th)/u, '$1')
    .replaceAll(',', '')
    .replace(' of ', ' ')
  const said = new Date(saidAt)
  const iso = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/u.exec(told)
  if (iso)
    return spanOf(Number(iso[1]), Number(iso[2]) - 1, iso[3] === undefined ? undefined : Number(iso[3]))
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/u.exec(told)
  if (dotted) return spanOf(Number(dotted[3]), Number(dotted[2]) - 1, Number(dotted[1]))
  const parts = told.split(' ')
  const named = parts.findIndex(part => new RegExp(`^${month}$`, 'u').test(part))
  const numbers = parts.map(Number).filter(Number.isInteger)
  const year = numbers.find(number => number > 31)
  if (named >= 0) {
    const index = months.findIndex(one => one.startsWith((parts[named] as string).slice(0, 3)))
    const inDay = numbers.find(number => number <= 31)
    const inYear = year ?? (Number.isNaN(said.getTime()) ? undefined : said.getUTCFullYear())
    return inYear === undefined ? undefined : spanOf(inYear, index, inDay)
  }
  const quarter = /^q([1-4]) (\d{4})$/u.exec(told)
  if (quarter) return monthsOf(Number(quarter[2]), (Number(quarter[1]) - 1) * 3, 3)
  if (/^20\d\d$/u.test(told)) return monthsOf(Number(told), 0, 12)
  return Number.isNaN(said.getTime()) ? undefined : relativePeriod(told, said)
}

function relativePeriod(told: string, said: Date): { first: Date; next: Date } | undefined {
  const midnight = new Date(said.getTime() - (said.getTime() % dayMs))
  const dayFrom = (offset: number) => {
    const first = new Date(midnight.getTime() + offset * dayMs)
    return { first, next: new Date(first.getTime() + dayMs) }
  }
  const near = { today: 0, yesterday: -1, tomorrow: 1 }[told]
  if (near !== undefined) return dayFrom(near)
  const weekday = days.indexOf(told.split(' ').at(-1) ?? '')
  if (weekday >= 0) {
    const ahead = (weekday - said.getUTCDay() + 7) % 7 || 7
    return dayFrom(told.startsWith('last') ? ahead - 7 : ahead)
  }
  const [which, unit] = told.split(' ')
  const step = { last: -1, this: 0, next: 1 }[which ?? '']
  if (step === undefined) return undefined
  if (unit === 'year') return monthsOf(said.getUTCFullYear() + step, 0, 12)
  if (unit === 'week') {
    const monday = dayFrom(step * 7 - ((said.getUTCDay() + 6) % 7))
    return { first: monday.first, next: new Date(monday.first.getTime() + 7 * dayMs) }
  }
  return unit === 'month' ? monthsOf(said.getUTCFullYear(), said.getUTCMonth() + step, 1) : undefined
}

function spanOf(
  year: number,
  index: number,
  inDay: number | undefined,
): { first: Date; next: Date } | undefined {
  if (inDay === undefined) return index >= 0 && index < 12 ? monthsOf(year, index, 1) : undefined
  const first = new Date(Date.UTC(year, index, inDay))
  const isReal = first.getUTCMonth() === index && first.getUTCDate() === inDay
  return isReal ? { first, next: new Date(first.getTime() + dayMs) } : undefined
}

function monthsOf(year: number, from: number, count: number): { first: Date; next: Date } {
  return { first: new Date(Date.UTC(year, from, 1)), next: new Date(Date.UTC(year, from + count, 1)) }
}

const starts = /^(?:since|from|as of|starting(?: (?:in|on|with|from))?)$/u
const ends = /^(?:until|till|through|before|until the end of)$/u
const points = /^(?:in|on|by|by the end of|at the end of|during|after)$/u

const schedules: readonly RegExp[] = [
  /^(?:every|each) (?:(?:other|second|third|first|last) (?=\p{L}))?(?:(?:\d+|two|three|four|five|six|ten|fifteen|thirty) )?(?:second(?! (?!(?:in|on|at|and|or|by|to|from|with|for)\b)\p{L})|minute|hour|day|night|morning|evening|weekday|week|weekend|month|quarter|year|sprint|work(?:ing )?day|business day|mon|tues|wednes|thurs|fri|satur|sun|january)\w*(?: (?:night|morning|evening|afternoon|at noon|at midnight))?(?: \d{1,2}:\d{2})?/u,
  /^every \d+\s?(?:ms|s|sec|min|m|h|hrs?|d)\b/u,
  /^(?:nightly|weekly|daily|hourly|monthly|quarterly|biweekly|yearly)\b/u,
  /^(?:once|twice|three times) (?:a|an|per) (?:day|week|month|year|hour|sprint|quarter)/u,
  /^on (?:(?:every|the first|the last) )?(?:mon|tues|wednes|thurs|fri|satur|sun)days(?: (?:and|to|through|until) (?:mon|tues|wednes|thurs|fri|satur|sun)days?)?(?: (?:night|morning|evening)s?)?/u,
  /^on the (?:\d{1,2}(?:st|nd|rd|th)?|first|second|third|fourth|last) (?:working|business) day(?: of (?:the|each|every) (?:month|quarter|week|year))?/u,
  /^on the (?:\d{1,2}(?:st|nd|rd|th)?|(?:first|second|third|fourth|last)(?: \p{L}{3,6}day| day)?) of (?:the|each|every) (?:month|quarter|week|year)/u,
  /^on (?:weekdays|weekends|working days|business days)/u,
  /^(?:on|at|after|with) (?:every|each) (?:push|commit|merge|release|deploy|deployment|build|start|restart|boot)\b(?: to \p{L}+)?/u,
  /^at (?:night|noon|midnight|weekends)/u,
  /^(?:at|from) \d{1,2}:\d{2}\S*(?: (?:utc|cet|cest|gmt))?(?: (?:to|until) \d{1,2}:\d{2})?/u,
  /^at \d{1,2} o['’]clock/u,
  /^(?:at|from) \d{1,2} ?(?:am|pm)(?: (?:to|until) \d{1,2} ?(?:am|pm))?/u,
]

/**
 * Takes the times out of a clause.
 * @param saidAt time of the note, ISO 8601; empty if unknown
 */
export function withoutTimes(
  given: readonly Token[],
  text: string,
  saidAt: string,
): { rest: Token[]; times: Times } {
  const times: Times = {}
  const rest: Token[] = []
  // `because of the load on Sunday`: when the reason was so.
  const reason = given.findIndex(({ lower }) => lower === 'because of' || lower === 'due to')
  for (let at = 0; at < given.length; ) {
    if (reason >= 0 && at >= reason) {
      rest.push(...given.slice(at))
      break
    }
    const taken = dateAt(given, at, text, saidAt, times) || scheduleAt(given, at, text, times)
    if (taken === 0) rest.push(given[at] as Token)
    at += taken || 1
  }
  return { rest, times }
}

/** A date without a direction begins so. */
const mayBeDate = /^(?:the|last|this|next|today|yesterday)\b/u

/** @returns how many tokens the date has, 0 without one */
function dateAt(tokens: readonly Token[], at: number, text: string, saidAt: string, times: Times): number {
  const token = tokens[at] as Token
  const isDirected = ['preposition', 'subordinator', 'adverb'].includes(token.cls)
  const kind = !isDirected
    ? undefined
    : starts.test(token.lower)
      ? 'since'
      : ends.test(token.lower)
        ? 'until'
        : points.test(token.lower)
          ? 'at'
          : undefined
  if (!kind && !mayBeDate.test(token.lower)) return 0
  const first = kind ? at + 1 : at
  for (let length = Math.min(longest, tokens.length - first); length >= 1; length--) {
    // The comma after a date ends what it is said of.
    if (length > 1 && tokens[first + length - 1]?.kind === 'mark') continue
    // `on Saturday evenings`: again and again.
    if (/^(?:morning|evening|night|afternoon)s$/u.test(tokens[first + length]?.lower ?? '')) continue
    const words = textOf(tokens.slice(first, first + length), text)
      .replace(/[.,;]$/u, '')
      .replace(/^the /iu, '')
    if (!date.test(words)) continue
    // `may` and `march` are verbs, and a bare date needs a direction or a relative word.
    if (!kind && !/^(?:last|this|next) |^(?:today|yesterday)$/iu.test(words)) continue
    if (!kind && at === 0 && first + length >= tokens.length) continue
    const period = periodOf(words, saidAt)
    // `last sprint`: no name either.
    if (!period && !kind) return length
    if (!period) continue
    if (kind === 'until')
      times.until = (endsBefore(token.lower, words) ? period.first : period.next).toISOString()
    else times[kind ?? 'at'] = period.first.toISOString()
    const after = tokens[first + length]
    return first + length - at + (kind === 'since' && /^on(?:wards?)?$/u.test(after?.lower ?? '') ? 1 : 0)
  }
  return 0
}

/** `until June 2026` ends with May, `until Friday` with Friday, `until the end of June` with June. */
function endsBefore(direction: string, words: string): boolean {
  if (/ end of$/u.test(direction)) return false
  return direction === 'before' || new RegExp(`^${month}(?: \\d{4})?$|^\\d{4}-\\d{2}$`, 'iu').test(words)
}

/** Every schedule begins so. */
const mayBeSchedule =
  /^(?:every|each|nightly|weekly|daily|hourly|monthly|quarterly|biweekly|yearly|once|twice|three|on|at|from|after|with)\b/u

function scheduleAt(tokens: readonly Token[], at: number, text: string, times: Times): number {
  if (!mayBeSchedule.test(tokens[at]?.lower ?? '')) return 0
  const words = tokens
    .slice(at, at + 8)
    .map(({ lower }) => lower)
    .join(' ')
  const found = schedules.map(form => form.exec(words)?.[0]).find(Boolean)
  if (!found) return 0
  // `the nightly export`: the word describes what follows.
  const next = tokens[at + 1]
  if (!found.includes(' ') && next && ['noun', 'name', 'verb'].includes(next.cls)) return 0
  let count = 0
  for (let length = 0; length < found.length && at + count < tokens.length; count++)
    length += (count > 0 ? 1 : 0) + (tokens[at + count] as Token).lower.length
  const told = textOf(tokens.slice(at, at + count), text)
  times.schedule = times.schedule ? `${times.schedule} ${told}` : told
  return count
}
