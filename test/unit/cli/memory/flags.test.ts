import test from 'ava'
import { fractionOf, momentOf, requireReason } from '../../../../src/cli/memory/flags.js'

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
