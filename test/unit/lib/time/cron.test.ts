import test from 'ava'
import { cronFault } from '../../../../src/lib/time/cron.js'
import { timesOf } from '../../../helpers/cron-times.js'

const dayMs = 24 * 60 * 60 * 1000

test('five plain fields are a schedule, and anything else is explained (tasks.md#cron)', t => {
  const schedules = [
    '* * * * *',
    '0 9 * * 1-5',
    '*/15 0-12/3 1,15 JAN-mar sun,Tue',
    '0 0 29 2 *',
    ' 5  4 * * 7 ',
  ]
  for (const one of schedules) t.is(cronFault(one), undefined, one)
  const faults: Readonly<Record<string, RegExp>> = {
    '': /has 1 field; it takes five/u,
    '@daily': /has 1 field; it takes five/u,
    '* * * * * *': /has 6 fields/u,
    '60 * * * *': /minute "60" must be within 0 to 59/u,
    '* 24 * * *': /hour "24" must be within 0 to 23/u,
    '* * 0 * *': /day of the month "0" must be within 1 to 31/u,
    '* * L * *': /day of the month "L" must be within/u,
    '* * * 13 *': /month "13" must be within 1 to 12/u,
    '* * * * 8': /day of the week "8" must be within 0 to 7/u,
    '* * * * 5#2': /day of the week "5#2" must be \*, a number/u,
    '* * * * MON-': /must be \*, a number/u,
    '10-5 * * * *': /must be a range that goes up/u,
    '*/0 * * * *': /must be in steps of 1 to 59/u,
    '5/10 * * * *': /must be a range with its steps: 5-59\/10/u,
    '1,,2 * * * *': /must be \*, a number/u,
    '-1 * * * *': /must be \*, a number/u,
    '0 0 30 2 *': /names a day that never comes/u,
    '0 0 31 4,6 *': /names a day that never comes/u,
  }
  for (const [one, fault] of Object.entries(faults)) t.regex(cronFault(one) ?? 'none', fault, one)
})

test('times in the clock gap run after it, repeated times once, and intervals continue (tasks.md#cron)', t => {
  const on = (schedule: string, day: string) => {
    const start = Date.parse(`${day}T00:00:00Z`)
    return timesOf(schedule, 'Europe/Berlin', start - dayMs / 4, start + dayMs / 4).map(at =>
      new Date(at).toISOString().slice(11, 16),
    )
  }
  t.deepEqual(on('30 2 * * *', '2026-03-29'), ['01:00'])
  t.deepEqual(on('30 2 * * *', '2026-10-25'), ['00:30'])
  t.deepEqual(on('30 1-3 * * *', '2026-03-29'), ['00:30', '01:30'])
  t.deepEqual(on('0 * * * *', '2026-10-25').slice(5, 9), ['00:00', '01:00', '02:00', '03:00'])
})
