import test from 'ava'
import { fractionOf, momentOf, parseMoment, requireReason } from '../../../../src/cli/memory/flags.js'

test('a missing reason is a usage error that shows the whole command', t => {
  t.is(requireReason(' outdated ', 'x'), 'outdated')
  for (const reason of [undefined, '', '  ']) {
    t.throws(() => requireReason(reason, 'memory recover ID --reason "still true"'), {
      message: /reason is required/,
      code: 'reason_required',
    })
  }
})

test('an unreadable date or number names its flag', t => {
  t.is(momentOf('--since', undefined), undefined)
  t.is(momentOf('--since', '2026-01-31'), '2026-01-31T00:00:00.000Z')
  t.throws(() => momentOf('--since', 'soon'), {
    message: /^--since: "soon" is not a valid time/,
    code: 'validation_failed',
  })
  t.is(fractionOf('--min-score', '0.5'), 0.5)
  for (const text of ['', '2', '-1', 'x']) {
    t.throws(() => fractionOf('--min-score', text), {
      message: /^--min-score: ".*" is not a number from 0 to 1/,
    })
  }
})

const now = Date.parse('2026-03-31T12:00:00Z')

test('a time is a date, a span before now, or a word', t => {
  t.is(parseMoment('2026-01-31', now), '2026-01-31T00:00:00.000Z')
  t.is(parseMoment('2026-01-31T09:00:00+02:00', now), '2026-01-31T07:00:00.000Z')
  t.is(parseMoment('7d', now), '2026-03-24T12:00:00.000Z')
  t.is(parseMoment('90 min', now), '2026-03-31T10:30:00.000Z')
  t.is(Date.parse(parseMoment('today', now)), new Date(now).setHours(0, 0, 0, 0))
  t.true(Date.parse(parseMoment('yesterday', now)) < Date.parse(parseMoment('today', now)))
})

test('an invalid time is quoted with the accepted forms', t => {
  for (const text of ['last week', '', '7', '2026-99-99', '2026-02-31', '2026-04-31T09:00:00Z']) {
    t.throws(() => parseMoment(text, now), { instanceOf: RangeError, message: /use 2026-01-31/ })
  }
})
