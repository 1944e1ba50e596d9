import test from 'ava'
import { formatAge, formatShortAge, parseMoment } from '../../../../src/cli/memory/age.js'

const now = Date.parse('2026-03-31T12:00:00Z')

test('an age has one unit, the largest that fits', t => {
  t.is(formatAge('2026-03-31T11:59:30Z', now), 'just now')
  t.is(formatAge('2026-03-31T11:55:00Z', now), '5 min ago')
  t.is(formatAge('2026-03-31T09:00:00Z', now), '3 h ago')
  t.is(formatAge('2026-03-28T11:00:00Z', now), '3 d ago')
  t.is(formatAge('2026-01-20T12:00:00Z', now), '2 mo ago')
  t.is(formatAge('2023-01-20T12:00:00Z', now), '3 y ago')
})

test('a moment to come reads as one', t => {
  t.is(formatAge('2026-04-02T12:00:00Z', now), 'in 2 d')
})

test('what is no date is shown as it is', t => {
  t.is(formatAge('soon', now), 'soon')
})

test('a table leaves out the words', t => {
  t.is(formatShortAge('2026-03-28T11:00:00Z', now), '3 d')
  t.is(formatShortAge('2026-03-31T12:00:00Z', now), 'now')
})

test('a moment is a date, a span before now, or a word', t => {
  t.is(parseMoment('2026-01-31', now), '2026-01-31T00:00:00.000Z')
  t.is(parseMoment('2026-01-31T09:00:00+02:00', now), '2026-01-31T07:00:00.000Z')
  t.is(parseMoment('7d', now), '2026-03-24T12:00:00.000Z')
  t.is(parseMoment('90 min', now), '2026-03-31T10:30:00.000Z')
  t.is(Date.parse(parseMoment('today', now)), new Date(now).setHours(0, 0, 0, 0))
  t.true(Date.parse(parseMoment('yesterday', now)) < Date.parse(parseMoment('today', now)))
})

test('a moment that is none is quoted back with what is allowed', t => {
  for (const text of ['last week', '', '7', '2026-99-99']) {
    t.throws(() => parseMoment(text, now), { instanceOf: RangeError, message: /use 2026-01-31/ })
  }
})
