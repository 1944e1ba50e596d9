import test from 'ava'
import { neighbourEvidence, widen } from '../../../../../../src/daemon/memory/recall/ranking/session.js'
import { contextOf, conversation, factsOf, givenBy, tableOf } from './sample-context.js'

const facts = factsOf(conversation(['a', 'b', 'c', 'd']))

/** The rows that come in beside those with evidence. */
function widened(own: ReadonlyMap<string, number>, facts: ReturnType<typeof factsOf>): string[] {
  const context = contextOf({ facts, own })
  return widen(context, tableOf(context.rows, own)).map(place => context.rows.id(place))
}

test('the rows beside a hit become candidates without evidence of their own', t => {
  t.deepEqual(widened(new Map([['b', 0.6]]), facts), ['a', 'c'])
})

test('a row is lifted towards the better rows beside it and never gives anything back', t => {
  const own = new Map([
    ['a', 0.2],
    ['b', 0.6],
    ['c', 0.4],
  ])
  const lifts = givenBy(neighbourEvidence, { facts, own })
  t.deepEqual([...lifts.keys()].sort(), ['a', 'c', 'd'])
  t.true(own.get('a')! + lifts.get('a')! < own.get('b')!)
  t.true(lifts.get('a')! > lifts.get('c')!)
})

test('memories that stand alone have no neighbours', t => {
  const own = new Map([['x', 0.9]])
  t.deepEqual(widened(own, factsOf({})), [])
  t.is(givenBy(neighbourEvidence, { own }).size, 0)
})

test('in a session of pages no row lifts those beside it', t => {
  const pages = factsOf(conversation(['a', 'b'], 200))
  t.is(givenBy(neighbourEvidence, { facts: pages, own: new Map([['a', 0.9]]) }).size, 0)
})
