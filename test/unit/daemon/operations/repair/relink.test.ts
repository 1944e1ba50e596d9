import test from 'ava'
import { nameKey } from '../../../../../src/daemon/ground/entities/name-key.js'
import { quoteOfName } from '../../../../../src/daemon/operations/repair/relink.js'

test('a name is quoted as written, ignoring case, accents and symbols (operations.md 5.6)', t => {
  const text = 'In ZÜRICH-Crane, and at Zurich crane; C++ not C. 東京タワー'
  t.is(quoteOfName(text, nameKey('zurich crane')), 'ZÜRICH-Crane')
  t.is(quoteOfName(text, nameKey('C++')), 'C++')
  t.is(quoteOfName(text, nameKey('c')), 'C')
  t.is(quoteOfName(text, nameKey('東京')), '東京タワー')
  t.is(quoteOfName(text, nameKey('crane zurich')), undefined)
})
