import test from 'ava'
import fc from 'fast-check'
import {
  byId,
  fullCoverage,
  toScore,
  totalEvidence,
} from '../../../../../../src/daemon/memory/recall/ranking/evidence.js'
import { hitsOf } from './sample-context.js'

test('half a point of evidence halves what is missing to 1', t => {
  t.is(toScore(0), 0)
  t.is(toScore(0.5), 0.5)
  t.is(toScore(1), 0.75)
})

test('scores stay in 0..1 and grow with the evidence', t => {
  const evidence = fc.double({ min: 0, max: 20, noNaN: true })
  fc.assert(
    fc.property(evidence, evidence, (a, b) => {
      const [low, high] = [toScore(Math.min(a, b)), toScore(Math.max(a, b))]
      return low >= 0 && high <= 1 && low <= high
    }),
  )
  t.pass()
})

test('evidence is the sum of additions times the product of factors, in any order', t => {
  const contributions = [
    { step: 'author', effect: 'multiply', value: 2 },
    { step: 'keyword', effect: 'add', value: 0.25 },
    { step: 'session', effect: 'add', value: 0.25 },
    { step: 'date', effect: 'multiply', value: 1.5 },
  ] as const
  t.is(totalEvidence(contributions), 1.5)
  t.is(totalEvidence([...contributions].reverse()), 1.5)
})

test('a question longer than five words is held to five', t => {
  const hits = hitsOf({})
  const worded = (words: number) => ({ ...hits, ceilings: { keyword: 20, hints: 0, sessions: 0, words } })
  t.is(fullCoverage(worded(4), 'keyword', [1]), 20)
  t.is(fullCoverage(worded(5), 'keyword', [1]), 20)
  t.is(fullCoverage(worded(10), 'keyword', [1]), 10)
})

test('without a ceiling the best score counts as full coverage', t => {
  t.is(fullCoverage({ ...hitsOf({}), ceilings: undefined }, 'keyword', [2, 7]), 7)
  t.true(fullCoverage({ ...hitsOf({}), ceilings: undefined }, 'keyword', [0]) > 0)
})

test('an id that appears twice keeps its better score', t => {
  t.deepEqual(
    byId([
      { id: 'a', score: 1 },
      { id: 'a', score: 3 },
      { id: 'a', score: 2 },
    ]),
    new Map([['a', 3]]),
  )
})
