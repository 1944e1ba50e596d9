import test from 'ava'
import { type FitCase, figuresOf, fitConfidence } from '../../../../bench/quality/fit.js'
import { measureFit } from '../../../../bench/quality/fit-report.js'
import { weights as inForceWeights } from '../../../../src/daemon/memory/recall/ranking/weights.js'

/** Questions of one set: own ones have much evidence, except every fifth. */
function casesOf(set: string, shift = 0): FitCase[] {
  return Array.from({ length: 40 }, (_, i): FitCase => {
    const own = i % 2 === 0
    const strong = own && i % 10 !== 0
    const evidence = (strong ? 0.6 : 0.2) + (i % 7) * 0.03 + shift
    const signs = {
      best: evidence,
      strongest: evidence,
      covered: strong ? 0.8 : 0.3,
      said: strong ? 4 : 1,
      terms: 20 + i,
      second: 0.5,
      noise: strong ? 0.2 : 0.5,
      unknown: 0.1,
      volume: 1000,
      cosine: 0,
    }
    return { set, own, signs, found: own, right: strong, 'R@10': strong ? 1 : 0 }
  })
}

test('a fitted model separates own questions from foreign ones and loses at most 1 %', t => {
  const cases = casesOf('a')
  const figures = figuresOf(cases, fitConfidence(cases, 'words'))
  t.true(figures.nothing > 0.9, String(figures.nothing))
  t.true(figures.lost <= 0.01)
  t.true(figures.logLoss < 0.3)
})

test('the threshold suits the set that would lose most', t => {
  const weak = casesOf('b').map(one => (one.own ? { ...one, 'R@10': 1 } : one))
  const both = fitConfidence([...casesOf('a'), ...weak], 'words')
  t.true(figuresOf(weak, both).lost <= 0.01)
})

test('a question without any hit counts as unanswered', t => {
  const cases = casesOf('a')
  const models = fitConfidence(cases, 'words')
  const empty = cases.map(one => (one.own ? one : { ...one, signs: undefined }))
  t.is(figuresOf(empty, models).nothing, 1)
})

test('fitted weights are reported under the names used in the weights file', t => {
  const cases = [...casesOf('a'), ...casesOf('b', 0.05)]
  const { weights, sets } = measureFit(cases, 'words')
  t.deepEqual(Object.keys(weights.answered!), Object.keys(inForceWeights.confidence.answered))
  t.deepEqual(Object.keys(weights.right!), Object.keys(inForceWeights.confidence.right))
  t.deepEqual(
    sets.map(({ set }) => set),
    ['a', 'b'],
  )
  for (const { leftOut } of sets) t.true(leftOut.nothing > 0.5)
})
