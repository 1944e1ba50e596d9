import test from 'ava'
import { fullCoverage, totalEvidence } from '../../../../../../src/daemon/memory/recall/ranking/evidence.js'
import { hitsOf } from './sample-context.js'

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

test('a question longer than five words is measured as five', t => {
  const hits = hitsOf({})
  const worded = (words: number) => ({ ...hits, ceilings: { ...hits.ceilings!, keyword: 20, words } })
  t.is(fullCoverage(worded(4), 'keyword', new Float64Array([1])), 20)
  t.is(fullCoverage(worded(5), 'keyword', new Float64Array([1])), 20)
  t.is(fullCoverage(worded(10), 'keyword', new Float64Array([1])), 10)
})

test('without a ceiling the best score is full coverage', t => {
  t.is(fullCoverage({ ...hitsOf({}), ceilings: undefined }, 'keyword', new Float64Array([2, 7])), 7)
  t.true(fullCoverage({ ...hitsOf({}), ceilings: undefined }, 'keyword', new Float64Array(1)) > 0)
})
