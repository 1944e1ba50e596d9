import test from 'ava'
import { meanScores, scoreQuestion } from '../../../../bench/quality/metrics.js'

test('a question is scored by the ranks of its evidence', t => {
  const ranked = ['x', 'a', ...Array.from({ length: 9 }, (_, i) => `y${i}`), 'b']
  const scores = scoreQuestion(ranked, ['a', 'b', 'c', 'd'])
  t.is(scores['R@5'], 0.25)
  t.is(scores['R@10'], 0.25)
  t.is(scores['R@20'], 0.5)
  t.is(scores.MRR, 0.5)
  const ideal = 1 + 1 / Math.log2(3) + 1 / 2 + 1 / Math.log2(5)
  t.true(Math.abs(scores['nDCG@10'] - 1 / Math.log2(3) / ideal) < 1e-12)
})

test('a repeated unit counts at its first rank only', t => {
  const scores = scoreQuestion(['u', 'u', 'v'], ['u', 'u', 'v'])
  t.is(scores['R@5'], 1)
  t.true(scores['nDCG@10'] < 1)
})

test('rows after the twentieth do not count', t => {
  const ranked = [...Array.from({ length: 20 }, (_, i) => `y${i}`), 'a']
  t.deepEqual(scoreQuestion(ranked, ['a']), { 'R@5': 0, 'R@10': 0, 'R@20': 0, MRR: 0, 'nDCG@10': 0 })
})

test('means are percentages with one decimal', t => {
  const all = [scoreQuestion(['a'], ['a']), scoreQuestion([], ['a']), scoreQuestion([], ['a'])]
  t.is(meanScores(all).MRR, 33.3)
})
