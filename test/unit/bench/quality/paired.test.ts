import test from 'ava'
import { scoreQuestion } from '../../../../bench/quality/metrics.js'
import { inPoints, interval, pairedDifferences } from '../../../../bench/quality/paired.js'

test('a confidence interval extends 1.96 standard errors to each side', t => {
  const { mean, half } = interval([1, 2, 3, 4])
  t.is(mean, 2.5)
  t.true(Math.abs(half - (1.96 * Math.sqrt(5 / 3)) / 2) < 1e-12)
})

test('differences are paired by question, so questions hard for both systems do not widen the interval', t => {
  const hit = scoreQuestion(['a'], ['a'])
  const second = scoreQuestion(['x', 'a'], ['a'])
  const miss = scoreQuestion([], ['a'])
  const same = pairedDifferences([hit, miss, hit, miss], [hit, miss, hit, miss])
  t.deepEqual(same.MRR, { mean: 0, half: 0 })
  const better = pairedDifferences([hit, hit], [second, second])
  t.deepEqual(better.MRR, { mean: 0.5, half: 0 })
  t.deepEqual(better['R@5'], { mean: 0, half: 0 })
})

test('differences are shown in points with a sign', t => {
  t.is(inPoints({ mean: 0.0123, half: 0.008 }), '+1.2 ± 0.8')
  t.is(inPoints({ mean: -0.5, half: 0 }), '-50.0 ± 0.0')
})
