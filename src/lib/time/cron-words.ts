const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** Says a common schedule in words: `Mondays at 09:00`. Others stay five fields of cron. */
export function cronWords(expression: string): string {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = expression.trim().split(/\s+/u)
  if (month !== '*') return expression
  const time = timeOf(hour, minute)
  if (time !== undefined) {
    const days = daysOf(day, weekday)
    return days === undefined ? expression : `${days} at ${time}`
  }
  if (day !== '*' || weekday !== '*') return expression
  return everyOf(hour, minute) ?? expression
}

function timeOf(hour: string, minute: string): string | undefined {
  if (!isNumber(hour) || !isNumber(minute)) return undefined
  return `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
}

function daysOf(day: string, weekday: string): string | undefined {
  if (day === '*' && weekday === '*') return 'every day'
  if (day === '*' && weekday === '1-5') return 'weekdays'
  if (day === '*' && weekday.split(',').every(isNumber))
    return weekday
      .split(',')
      .map(number => `${dayNames[Number(number)]}s`)
      .join(', ')
  return weekday === '*' && isNumber(day) ? `day ${day} of each month` : undefined
}

/** Schedules without a time of the day. */
function everyOf(hour: string, minute: string): string | undefined {
  const [, minutes] = /^\*\/(\d+)$/u.exec(minute) ?? []
  if (hour === '*' && minutes !== undefined) return `every ${minutes} minutes`
  if (!isNumber(minute)) return undefined
  if (hour === '*') return `every hour at ${minute} past`
  const [, hours] = /^\*\/(\d+)$/u.exec(hour) ?? []
  return hours === undefined ? undefined : `every ${hours} hours`
}

function isNumber(text: string): boolean {
  return /^\d{1,2}$/u.test(text)
}
