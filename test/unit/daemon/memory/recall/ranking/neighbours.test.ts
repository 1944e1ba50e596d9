import test from 'ava'
import {
  addNeighbours,
  neighbourEvidence,
} from '../../../../../../src/daemon/memory/recall/ranking/session.js'
import { contextOf, conversation, factsOf, tableOf, valuesOf } from './sample-context.js'

const facts = factsOf(conversation(['a', 'b', 'c', 'd']))

/** Returns the rows added next to those with evidence. */
function addedRows(own: ReadonlyMap<string, number>, facts: ReturnType<typeof factsOf>): string[] {
  const context = contextOf({ facts, own })
  return addNeighbours(context, tableOf(context.rows, own)).map(place => context.rows.id(place))
}

test('the rows next to a hit become candidates without own evidence', t => {
  t.deepEqual(addedRows(new Map([['b', 0.6]]), facts), ['a', 'c'])
})

test('a row is lifted towards better neighbours and loses nothing', t => {
  const own = new Map([
    ['a', 0.2],
    ['b', 0.6],
    ['c', 0.4],
  ])
  const lifts = valuesOf(neighbourEvidence, { facts, own })
  t.deepEqual([...lifts.keys()].sort(), ['a', 'c', 'd'])
  t.true(own.get('a')! + lifts.get('a')! < own.get('b')!)
  t.true(lifts.get('a')! > lifts.get('c')!)
})

test('memories outside a session have no neighbours', t => {
  const own = new Map([['x', 0.9]])
  t.deepEqual(addedRows(own, factsOf({})), [])
  t.is(valuesOf(neighbourEvidence, { own }).size, 0)
})

test('pages of a session do not lift their neighbours', t => {
  const pages = factsOf(conversation(['a', 'b'], 200))
  t.is(valuesOf(neighbourEvidence, { facts: pages, own: new Map([['a', 0.9]]) }).size, 0)
})
