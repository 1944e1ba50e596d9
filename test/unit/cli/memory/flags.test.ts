import test from 'ava'
import { fractionOf, memoryTypes, momentOf, requireReason } from '../../../../src/cli/memory/flags.js'
import { memoryTypes as contractTypes } from '../../../../src/contract/ground/fields.js'

test('the types that the flags offer are those of the contract', t => {
  t.deepEqual([...memoryTypes], [...contractTypes])
})

test('a missing reason is a usage error with the whole command', t => {
  t.is(requireReason(' outdated ', 'x'), 'outdated')
  for (const reason of [undefined, '', '  ']) {
    t.throws(() => requireReason(reason, 'memory recover ID --reason "still true"'), {
      message: /reason is needed/,
      code: 'reason_required',
    })
  }
})

test('a moment and a fraction name their flag when they cannot be read', t => {
  t.is(momentOf('--since', undefined), undefined)
  t.is(momentOf('--since', '2026-01-31'), '2026-01-31T00:00:00.000Z')
  t.throws(() => momentOf('--since', 'soon'), {
    message: /^--since: "soon" is no moment/,
    code: 'validation_failed',
  })
  t.is(fractionOf('--min-score', '0.5'), 0.5)
  for (const text of ['', '2', '-1', 'x']) {
    t.throws(() => fractionOf('--min-score', text), {
      message: /^--min-score: ".*" is not a number from 0 to 1/,
    })
  }
})
