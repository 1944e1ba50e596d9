import test from 'ava'
import { rankCandidates } from '../../../../../../src/daemon/memory/recall/ranking/rank-candidates.js'
import { contextOf, factsOf, hitsOf } from './sample-context.js'

test('a row supported by hints only stays below a keyword match (recall.md 1.3.5)', t => {
  const hits = hitsOf({ keyword: { grounded: 0.4 }, hints: { hinted: 1 } })
  const ranked = rankCandidates(contextOf({ hits })).ranked.slice()
  t.deepEqual(
    ranked.map(({ id }) => id),
    ['grounded', 'hinted'],
  )
  t.true(ranked[1]!.contributions.some(({ step }) => step === 'hint_cap'))
})

test('no evidence step lifts a hint-only row above a keyword match (recall.md 1.3.5)', t => {
  const hits = hitsOf({ keyword: { grounded: 0.4 }, hints: { hinted: 1 } })
  const facts = factsOf({ hinted: { who: 'Ana' }, grounded: { who: 'Ben' } })
  const ranked = rankCandidates(contextOf({ query: 'What did Ana deploy?', hits, facts })).ranked.slice()
  t.deepEqual(
    ranked.map(({ id }) => id),
    ['grounded', 'hinted'],
  )
})

test('a vector match caps hints like a keyword match', t => {
  const hits = hitsOf({ vector: { meaning: 0.5 }, hints: { hinted: 1 } })
  t.is(rankCandidates(contextOf({ hits })).ranked.slice()[0]?.id, 'meaning')
})

test('a stray word does not cap a good hint', t => {
  const hits = hitsOf({ keyword: { grounded: 0.8, stray: 0.1 }, hints: { hinted: 1 } })
  const ranked = rankCandidates(contextOf({ hits })).ranked.slice()
  t.deepEqual(
    ranked.map(({ id }) => id),
    ['grounded', 'hinted', 'stray'],
  )
})

test('hints are not capped if nothing else matches', t => {
  const ranked = rankCandidates(contextOf({ hits: hitsOf({ hints: { hinted: 1 } }) })).ranked.slice()
  t.is(ranked[0]?.evidence, 0.5)
})

test('a row with keywords and hints gains from both without a cap', t => {
  const hits = hitsOf({ keyword: { both: 0.3, word: 0.4 }, hints: { both: 1 } })
  t.is(rankCandidates(contextOf({ hits })).ranked.slice()[0]?.id, 'both')
})
