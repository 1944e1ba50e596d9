import test from 'ava'
import { formatAge, formatShortAge } from '../../../../src/lib/time/age.js'

const now = Date.parse('2026-03-31T12:00:00Z')

test('an age has one unit, the largest that fits', t => {
  t.is(formatAge('2026-03-31T11:59:30Z', now), 'just now')
  t.is(formatAge('2026-03-31T11:55:00Z', now), '5 min ago')
  t.is(formatAge('2026-03-31T09:00:00Z', now), '3 h ago')
  t.is(formatAge('2026-03-28T11:00:00Z', now), '3 d ago')
  t.is(formatAge('2026-01-20T12:00:00Z', now), '2 mo ago')
  t.is(formatAge('2023-01-20T12:00:00Z', now), '3 y ago')
})

test('a future time reads as one', t => {
  t.is(formatAge('2026-04-02T12:00:00Z', now), 'in 2 d')
  t.is(formatAge('2026-03-31T12:00:30Z', now), 'in a moment')
})

test('text that is not a date is shown unchanged', t => {
  t.is(formatAge('soon', now), 'soon')
})

test('a table shows ages without words', t => {
  t.is(formatShortAge('2026-03-28T11:00:00Z', now), '3 d')
  t.is(formatShortAge('2026-03-31T12:00:00Z', now), 'now')
})
