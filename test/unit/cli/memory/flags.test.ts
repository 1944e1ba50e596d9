import test from 'ava'
import { fractionOf, momentOf, reasonOf } from '../../../../src/cli/memory/flags.js'

test('a missing or blank reason says how the change was made', t => {
  t.is(reasonOf(' outdated ', 'x'), 'outdated')
  for (const reason of [undefined, '', '  ']) t.is(reasonOf(reason, 'x'), 'x')
})

test('an unreadable date or number names its flag', t => {
  t.is(momentOf('--since', undefined), undefined)
  t.is(momentOf('--since', '2026-01-31'), new Date(2026, 0, 31).toISOString())
  t.is(momentOf('--until', '2026-01-31'), new Date(2026, 0, 31, 23, 59, 59, 999).toISOString())
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
