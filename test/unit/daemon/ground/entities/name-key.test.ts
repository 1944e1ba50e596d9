import test from 'ava'
import { nameKey, nameWords } from '../../../../../src/daemon/ground/entities/name-key.js'

for (const [name, key] of [
  ['Acme Corp', 'acme corp'],
  ['  ACME-Corp. ', 'acme corp'],
  ['Café', 'cafe'],
  ['C++', 'c++'],
  ['C#', 'c#'],
  ['node.js', 'node js'],
  ['ﬁx Ａ', 'fix a'],
  ['東京', '東 京'],
  ['!?', ''],
] as const)
  test(`${name} is looked up as ${key}`, t => {
    t.is(nameKey(name), key)
  })

test('words of every script are returned in order', t => {
  t.deepEqual(nameWords('Привет, 世界! ok'), ['привет', '世', '界', 'ok'])
})
