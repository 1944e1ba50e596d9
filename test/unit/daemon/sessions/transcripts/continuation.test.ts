// runs: in turn

import test from 'ava'
import fc from 'fast-check'
import { continuationOf } from '../../../../../src/daemon/sessions/transcripts/continuation.js'
import { cpuMsOf } from '../../../../helpers/cpu-time.js'

const list = (text: string) => text.split('')

for (const [stored, incoming, kind, from] of [
  ['abc', 'abc', 'same', undefined],
  ['abc', 'bc', 'same', undefined],
  ['abcd', 'bc', 'same', undefined],
  ['abc', 'abcde', 'extends', 3],
  ['abcdef', 'cdefgh', 'extends', 4],
  ['aa', 'aaa', 'extends', 2],
  ['abc', 'cde', 'replaces', undefined],
  ['abc', 'xyz', 'replaces', undefined],
  ['abc', 'abx', 'replaces', undefined],
  ['', 'abc', 'replaces', undefined],
] as const)
  test(`after ${stored || 'nothing'}, ${incoming} ${kind}`, t => {
    t.deepEqual(continuationOf(list(stored), list(incoming)), from === undefined ? { kind } : { kind, from })
  })

test('an extension ends with the new messages and starts with the stored ones', t => {
  const items = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(items, items, (stored, incoming) => {
      const found = continuationOf(stored, incoming)
      const text = stored.join('')
      if (found.kind === 'same') t.true(text.includes(incoming.join('')))
      if (found.kind === 'extends')
        t.true([...stored, ...incoming.slice(found.from)].join('').endsWith(incoming.join('')))
      if (found.kind === 'replaces') t.false(text.includes(incoming.join('')))
    }),
    { numRuns: 1000 },
  )
})

test('a million messages are compared in less than a second', t => {
  const many = Array.from({ length: 500_000 }, (_, n) => (n % 3 ? 'a' : 'b'))
  t.true(cpuMsOf(() => continuationOf(many, [...many, 'c'])) < 1000)
})
