import test from 'ava'
import { namesIn } from '../../../../../../../src/daemon/memory/recall/search/find-paths.js'

test('every sequence of up to six words may be a name, unless it is all generic words', t => {
  t.deepEqual(namesIn('the Blue Whale').keys, ['the blue', 'the blue whale', 'blue', 'blue whale', 'whale'])
  t.deepEqual(namesIn('what is it').keys, [])
  t.is(Math.max(...namesIn('a b c d e f g h').keys.map(key => key.split(' ').length)), 6)
})

test('the share of a query counts weak words half and question words not at all', t => {
  const { shareOf } = namesIn('which database does Orion use')
  t.is(shareOf(['orion']), 1 / 2.5)
  t.is(shareOf(['orion', 'database']), 2 / 2.5)
  t.is(shareOf([]), 0)
})

test('a long question is measured as five words', t => {
  const { shareOf } = namesIn('orion engine harbour crane rope winch deck hull anchor')
  t.is(shareOf(['orion']), 1 / 5)
})

test('only the beginning of a very long query is searched for names', t => {
  t.true(namesIn('word '.repeat(100_000)).keys.length <= 6)
  t.true(namesIn(Array.from({ length: 1000 }, (_, n) => `w${n}`).join(' ')).keys.length <= 64 * 6)
})
