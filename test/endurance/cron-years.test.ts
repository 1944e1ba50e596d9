import test from 'ava'
import { CronExpressionParser } from 'cron-parser'
import { timesOf } from '../helpers/cron-times.js'

const dayMs = 24 * 60 * 60 * 1000

function timesOfOther(expression: string, tz: string, from: number, to: number): number[] {
  const times: number[] = []
  const other = CronExpressionParser.parse(expression, { currentDate: new Date(from), tz })
  for (;;) {
    const at = other.next().toDate().getTime()
    if (at >= to) return times
    times.push(at)
  }
}

test('schedules match another library over two years and every clock change (tasks.md#cron)', t => {
  const [from, to] = [Date.parse('2026-01-01T00:00:00Z'), Date.parse('2028-01-01T00:00:00Z')]
  const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu']
  const schedules = [
    ...['30 1 * * *', '0 3 * * *', '0 0 31 * *', '0 9 * * 1-5', '30 2 13 * 5'],
    ...['5,35 */6 1-7 */2 0', '0 0 29 2 *', '59 23 31 12 *', '45 1 * * 0', '0 12 * * 7', '15 4 1 JAN,jul *'],
  ]
  for (const zone of zones)
    for (const schedule of schedules)
      t.deepEqual(
        timesOf(schedule, zone, from, to),
        timesOfOther(schedule, zone, from, to),
        `${zone} ${schedule}`,
      )
  // The hours around each change, minute by minute.
  const changes = {
    'Europe/Berlin': ['2026-03-29', '2026-10-25'],
    'America/New_York': ['2027-03-14', '2027-11-07'],
  }
  for (const [zone, days] of Object.entries(changes))
    for (const day of days)
      for (const schedule of ['* * * * *', '*/20 * * * *']) {
        const span = [Date.parse(day) - dayMs / 12, Date.parse(day) + dayMs / 2] as const
        t.deepEqual(timesOf(schedule, zone, ...span), timesOfOther(schedule, zone, ...span), `${zone} ${day}`)
      }
})
