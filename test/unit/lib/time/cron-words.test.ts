import test from 'ava'
import { cronWords } from '../../../../src/lib/time/cron-words.js'

test('common schedules are said in words, others stay fields of cron', t => {
  const said = {
    '0 9 * * *': 'every day at 09:00',
    '30 18 * * 1-5': 'weekdays at 18:30',
    '0 9 * * 1': 'Mondays at 09:00',
    '5 7 * * 0,6': 'Sundays, Saturdays at 07:05',
    '0 8 1 * *': 'day 1 of each month at 08:00',
    '*/15 * * * *': 'every 15 minutes',
    '10 * * * *': 'every hour at 10 past',
    '0 */2 * * *': 'every 2 hours',
    '0 9 * * MON': '0 9 * * MON',
    '0 9 1 * 1': '0 9 1 * 1',
    '0 0 29 2 *': '0 0 29 2 *',
    '*/5 9 * * *': '*/5 9 * * *',
  }
  for (const [expression, words] of Object.entries(said)) t.is(cronWords(expression), words)
})
