import { Cron } from 'croner'

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

interface Field {
  what: string
  min: number
  max: number
  /** Of `min` and what follows. */
  names?: readonly string[]
}

const fields: readonly Field[] = [
  { what: 'minute', min: 0, max: 59 },
  { what: 'hour', min: 0, max: 23 },
  { what: 'day of the month', min: 1, max: 31 },
  { what: 'month', min: 1, max: 12, names: months },
  // 7 is Sunday too.
  { what: 'day of the week', min: 0, max: 7, names: days },
]

/** `*`, a value or a range, each but the value with a step. */
const item = /^(?:(\*)|(\w+)(?:-(\w+))?)(?:\/(\d{1,3}))?$/u

/**
 * Why a text is no schedule of five plain cron fields (tasks.md#cron); undefined when it is one. `@daily`, seconds, `L`
 * and the like are no part of it.
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
 * When a schedule comes next after a time, in a time zone. A time that is skipped when clocks go forward comes at the
 * end of the gap; one that comes twice when they go back, once (tasks.md#cron).
 * @param expression without a `cronFault`. @param zone IANA name.
 */
export function nextTime(expression: string, zone: string, after: Date): Date | undefined {
  return scheduleOf(expression, zone).nextRun(after) ?? undefined
}

function scheduleOf(expression: string, timezone: string): Cron {
  return new Cron(expression.trim(), { mode: '5-part', paused: true, timezone })
}
