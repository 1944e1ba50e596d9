import test from 'ava'
import { namesIn } from '../../../../../../../src/daemon/memory/recall/search/graph/query-names.js'

test('every run of up to six words may be a name, but none of words that say nothing', t => {
  t.deepEqual(namesIn('the Blue Whale').keys, ['the blue', 'the blue whale', 'blue', 'blue whale', 'whale'])
  t.deepEqual(namesIn('what is it').keys, [])
  t.is(Math.max(...namesIn('a b c d e f g h').keys.map(key => key.split(' ').length)), 6)
})

test('a share of a query counts words as the index does: weak ones half, those that ask not at all', t => {
  const { shareOf } = namesIn('which database does Orion use')
  t.is(shareOf(['orion']), 1 / 2.5)
  t.is(shareOf(['orion', 'database']), 2 / 2.5)
  t.is(shareOf([]), 0)
})

test('a long question is held to five words', t => {
  const { shareOf } = namesIn('orion engine harbour crane rope winch deck hull anchor')
  t.is(shareOf(['orion']), 1 / 5)
})

test('a query of any length is looked through at its beginning', t => {
  t.true(namesIn('word '.repeat(100_000)).keys.length <= 6)
  t.true(namesIn(Array.from({ length: 1000 }, (_, n) => `w${n}`).join(' ')).keys.length <= 64 * 6)
})
