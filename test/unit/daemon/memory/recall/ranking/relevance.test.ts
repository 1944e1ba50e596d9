import test from 'ava'
import { rankCandidates } from '../../../../../../src/daemon/memory/recall/ranking/rank-candidates.js'
import { relevant } from '../../../../../../src/daemon/memory/recall/ranking/relevance.js'
import { contextOf, hitsOf } from './sample-context.js'

const rank = (channels: Parameters<typeof hitsOf>[0]) =>
  rankCandidates(contextOf({ hits: hitsOf(channels) })).ranked
const ids = (ranked: readonly { id: string }[]) => ranked.map(({ id }) => id)

test('a query whose best row covers too little has no answer', t => {
  t.deepEqual(relevant(rank({ keyword: { a: 0.2, b: 0.1 } })), [])
  t.deepEqual(relevant([]), [])
})

test('an answer keeps the rows that are not far below it', t => {
  t.deepEqual(ids(relevant(rank({ keyword: { a: 0.8, b: 0.3, c: 0.05 } }))), ['a', 'b'])
})

test('a good hint is an answer although its score is capped', t => {
  t.deepEqual(ids(relevant(rank({ keyword: { weak: 0.15 }, hints: { hinted: 1 } }))), ['weak', 'hinted'])
})

test('score_min replaces the default and looks at each row alone', t => {
  const ranked = rank({ keyword: { a: 0.2, b: 0.05 } })
  t.deepEqual(ids(relevant(ranked, 0)), ['a', 'b'])
  t.deepEqual(ids(relevant(ranked, 0.2)), ['a'])
  t.deepEqual(relevant(ranked, 0.9), [])
})
