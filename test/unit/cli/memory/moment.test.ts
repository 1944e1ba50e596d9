import test from 'ava'
import { parseMoment } from '../../../../src/cli/memory/moment.js'

const now = Date.parse('2026-03-31T12:00:00Z')

test('a moment is a date, a span before now, or a word', t => {
  t.is(parseMoment('2026-01-31', now), '2026-01-31T00:00:00.000Z')
  t.is(parseMoment('2026-01-31T09:00:00+02:00', now), '2026-01-31T07:00:00.000Z')
  t.is(parseMoment('7d', now), '2026-03-24T12:00:00.000Z')
  t.is(parseMoment('90 min', now), '2026-03-31T10:30:00.000Z')
  t.is(Date.parse(parseMoment('today', now)), new Date(now).setHours(0, 0, 0, 0))
  t.true(Date.parse(parseMoment('yesterday', now)) < Date.parse(parseMoment('today', now)))
})

test('a moment that is none is quoted back with what is allowed', t => {
  for (const text of ['last week', '', '7', '2026-99-99', '2026-02-31', '2026-04-31T09:00:00Z']) {
    t.throws(() => parseMoment(text, now), { instanceOf: RangeError, message: /use 2026-01-31/ })
  }
})
