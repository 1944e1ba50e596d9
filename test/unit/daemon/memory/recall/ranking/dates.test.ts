import test from 'ava'
import { dateEvidence } from '../../../../../../src/daemon/memory/recall/ranking/dates.js'
import { factsOf, valuesOf } from './sample-context.js'

const facts = factsOf({
  in: { createdAt: Date.UTC(2023, 4, 8, 14) },
  near: { createdAt: Date.UTC(2023, 4, 12) },
  far: { createdAt: Date.UTC(2023, 7, 1) },
})
const own = new Map([
  ['in', 0.5],
  ['near', 0.5],
  ['far', 0.5],
])

test('rows of the named date count most, rows within a week of it half', t => {
  const factors = valuesOf(dateEvidence, { query: 'What happened on 8 May 2023?', facts, own })
  t.true(factors.get('in')! > factors.get('near')!)
  t.true(factors.get('near')! > 1)
  t.false(factors.has('far'))
})

test('a query without a date does not affect dates', t => {
  t.is(valuesOf(dateEvidence, { query: 'deploy key rotation', facts, own }).size, 0)
})
