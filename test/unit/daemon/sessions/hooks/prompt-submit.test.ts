import test from 'ava'
import { isLowSignal } from '../../../../../src/daemon/ground/entities/low-signal.js'
import { clockContext } from '../../../../../src/daemon/sessions/hooks/prompt-submit.js'

const noon = new Date('2026-03-29T12:05:09.700Z')

for (const [zone, expected] of [
  ['Europe/Berlin', '2026-03-29T14:05:09+02:00 (Sunday, UTC+02:00, Europe/Berlin)'],
  ['UTC', '2026-03-29T12:05:09+00:00 (Sunday, UTC+00:00, UTC)'],
  ['Asia/Kolkata', '2026-03-29T17:35:09+05:30 (Sunday, UTC+05:30, Asia/Kolkata)'],
  ['Pacific/Kiritimati', '2026-03-30T02:05:09+14:00 (Monday, UTC+14:00, Pacific/Kiritimati)'],
  ['America/St_Johns', '2026-03-29T09:35:09-02:30 (Sunday, UTC-02:30, America/St_Johns)'],
])
  test(`the clock in ${zone} shows its UTC offset and its zone (rules.md 4.10)`, t => {
    t.is(clockContext(noon, zone), `Current time: ${expected}`)
  })

test('the offset of a zone follows daylight saving time', t => {
  t.regex(clockContext(new Date('2026-01-01T00:00:00Z'), 'Europe/Berlin'), /T01:00:00\+01:00/)
})

test('midnight is hour 0', t => {
  t.regex(clockContext(new Date('2026-01-01T00:00:00Z'), 'UTC'), /2026-01-01T00:00:00/)
})

for (const prompt of [
  '',
  'ok',
  'OK!',
  'thanks a'.slice(0, 6),
  'Yes please',
  'go on',
  '/clear',
  '/review-pr 17',
  '…',
  'y',
  'hi :)',
  'do it',
  '東',
])
  test(`"${prompt}" contains nothing to search for (rules.md 4.10)`, t => {
    t.true(isLowSignal(prompt))
  })

for (const prompt of [
  'Ada',
  'ok, fix the build',
  '/home/me/shop/main.ts fails',
  'continue with Acme',
  '東京',
  `${'ok '.repeat(50)}`,
])
  test(`"${prompt.slice(0, 30)}" is searched for (rules.md 4.10)`, t => {
    t.false(isLowSignal(prompt))
  })
