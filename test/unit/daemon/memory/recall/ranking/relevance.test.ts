import test from 'ava'
import { keepRelevant } from '../../../../../../src/daemon/memory/recall/ranking/confidence.js'
import { rankingOf } from './sample-context.js'

const ids = (ranked: readonly { id: string }[]) => ranked.map(({ id }) => id)
const shown = (channels: Parameters<typeof rankingOf>[0], scoreMin?: number) => {
  const { ranked, confidence } = rankingOf(channels)
  return ids(keepRelevant(ranked, confidence, scoreMin))
}

test('a stray word of a longer question is not an answer', t => {
  t.deepEqual(shown({ keyword: { a: 0.1, b: 0.05 } }), [])
  t.deepEqual(shown({}), [])
})

test('an answer includes the rows close below it', t => {
  t.deepEqual(shown({ keyword: { a: 0.8, b: 0.3, c: 0.05 } }), ['a', 'b'])
})

test('a good hint is an answer although its evidence is capped', t => {
  t.deepEqual(shown({ keyword: { weak: 0.15 }, hints: { hinted: 1 } }), ['weak', 'hinted'])
})

test('rows no better than the twentieth are left out', t => {
  const chance = Object.fromEntries(Array.from({ length: 45 }, (_, i) => [`chance-${i}`, 0.5]))
  t.deepEqual(shown({ keyword: { a: 1, b: 0.7, ...chance } }), ['a', 'b'])
})

test('rows close to the best are all shown, however many', t => {
  const good = Object.fromEntries(Array.from({ length: 45 }, (_, i) => [`good-${i}`, 0.85]))
  t.is(shown({ keyword: { a: 1, ...good } }).length, 46)
})

test('score_min replaces the default threshold and applies to each row', t => {
  const channels = { keyword: { a: 0.1, b: 0.05 } }
  const [best, second] = rankingOf(channels).ranked
  t.deepEqual(shown(channels), [])
  t.deepEqual(shown(channels, 0), ['a', 'b'])
  t.true(best!.score > second!.score)
  t.deepEqual(shown(channels, best!.score), ['a'])
  t.deepEqual(shown(channels, 0.99), [])
})
