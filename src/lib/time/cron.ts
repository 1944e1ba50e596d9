import { Cron } from 'croner'

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

interface Field {
  what: string
  min: number
  max: number
  /** Names for the values from `min` upwards. */
  names?: readonly string[]
}

const fields: readonly Field[] = [
  { what: 'minute', min: 0, max: 59 },
  { what: 'hour', min: 0, max: 23 },
  { what: 'day of the month', min: 1, max: 31 },
  { what: 'month', min: 1, max: 12, names: months },
  // 7 means Sunday, like 0.
  { what: 'day of the week', min: 0, max: 7, names: days },
]

/** `*`, a value or a range; `*` and a range may have a step. */
const item = /^(?:(\*)|(\w+)(?:-(\w+))?)(?:\/(\d{1,3}))?$/u

/**
 * Returns why a text is not a schedule of five plain cron fields (tasks.md#cron), or undefined if it is one.
 * `@daily`, seconds, `L` and other extensions are not supported.
 */
export function cronFault(expression: string): string | undefined {
  const parts = expression.trim().split(/\s+/u)
  if (parts.length !== fields.length)
    return `has ${parts.length} ${parts.length === 1 ? 'field' : 'fields'}; it takes five: minute, hour, day of the month, month, day of the week, such as 0 9 * * 1-5`
  for (const [at, part] of parts.entries()) {
    const fault = fieldFault(part, fields[at] as Field)
    if (fault) return fault
  }
  return scheduleOf(expression, 'UTC').nextRun(new Date(0)) ? undefined : 'names a day that never comes'
}

function fieldFault(part: string, field: Field): string | undefined {
  const { what, min, max } = field
  const fault = `the ${what} ${JSON.stringify(part.slice(0, 50))} must be`
  for (const one of part.split(',')) {
    const [whole, star, first, last, step] = item.exec(one) ?? []
    if (whole === undefined)
      return `${fault} *, a number, a range (1-5), a list (1,3) or steps (*/5, 10-50/10)`
    if (step !== undefined && (Number(step) < 1 || Number(step) > max))
      return `${fault} in steps of 1 to ${max}`
    if (star !== undefined) continue
    const [from, to] = [numberOf(first, field), last === undefined ? undefined : numberOf(last, field)]
    if (from === undefined || (last !== undefined && to === undefined))
      return `${fault} within ${min} to ${max}`
    if (to !== undefined && to < from) return `${fault} a range that goes up`
    if (step !== undefined && to === undefined)
      return `${fault} a range with its steps: ${from}-${max}/${step}`
  }
  return undefined
}

function numberOf(text: string | undefined, { min, max, names = [] }: Field): number | undefined {
  const named = names.indexOf(text?.toUpperCase() ?? '')
  if (named >= 0) return named + min
  if (!/^\d{1,2}$/u.test(text ?? '')) return undefined
  const value = Number(text)
  return value >= min && value <= max ? value : undefined
}

/**
 * Returns the next time of a schedule after a time, in a time zone. A time that is skipped when clocks go
 * forward runs at the end of the gap; a time that occurs twice when they go back runs once (tasks.md#cron).
 * @param expression must pass `cronFault`. @param zone IANA name.
 */
export function nextTime(expression: string, zone: string, after: Date): Date | undefined {
  return scheduleOf(expression, zone).nextRun(after) ?? undefined
}

function scheduleOf(expression: string, timezone: string): Cron {
  return new Cron(expression.trim(), { mode: '5-part', paused: true, timezone })
}
