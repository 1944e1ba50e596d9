import test from 'ava'
import { memoryTypes, requireReason } from '../../../src/cli/memory-flags.js'
import { memoryTypes as contractTypes } from '../../../src/contract/fields.js'

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
