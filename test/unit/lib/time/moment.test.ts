// runs: alone, since it changes the time zone

import test from 'ava'
import { parseMoment } from '../../../../src/lib/time/moment.js'

process.env.TZ = 'Asia/Tokyo'
const now = Date.parse('2026-03-31T12:00:00Z')

test('a time is a date, a span before now, or a word', t => {
  t.is(parseMoment('2026-01-31', now), '2026-01-30T15:00:00.000Z')
  t.is(parseMoment('2026-01-31', now, 'end'), '2026-01-31T14:59:59.999Z')
  t.is(parseMoment('2026-01-31T09:00', now), '2026-01-31T00:00:00.000Z')
  t.is(parseMoment('2026-01-31T09:00:00+02:00', now), '2026-01-31T07:00:00.000Z')
  t.is(parseMoment('7d', now), '2026-03-24T12:00:00.000Z')
  t.is(parseMoment('90 min', now), '2026-03-31T10:30:00.000Z')
  t.is(Date.parse(parseMoment('today', now)), new Date(now).setHours(0, 0, 0, 0))
  t.is(parseMoment('yesterday', now), '2026-03-29T15:00:00.000Z')
  t.is(parseMoment('yesterday', now, 'end'), '2026-03-30T14:59:59.999Z')
})

test('an invalid time is quoted with the accepted forms', t => {
  for (const text of ['last week', '', '7', '2026-99-99', '2026-02-31', '2026-04-31T09:00:00Z']) {
    t.throws(() => parseMoment(text, now), { instanceOf: RangeError, message: /use 2026-01-31/ })
  }
})

test('a day is as long as its time zone makes it', t => {
  process.env.TZ = 'Europe/Berlin'
  t.is(parseMoment('2026-03-29', now), '2026-03-28T23:00:00.000Z')
  t.is(parseMoment('2026-03-29', now, 'end'), '2026-03-29T21:59:59.999Z')
  process.env.TZ = 'America/Santiago'
  t.is(parseMoment('2026-09-06', now), '2026-09-06T04:00:00.000Z', 'its first hour does not exist')
})
