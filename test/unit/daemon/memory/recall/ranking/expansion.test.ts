import test from 'ava'
import { expansionEvidence } from '../../../../../../src/daemon/memory/recall/ranking/expansion.js'
import { rankCandidates } from '../../../../../../src/daemon/memory/recall/ranking/rank-candidates.js'
import { contextOf, conversation, factsOf, hitsOf, valuesOf } from './sample-context.js'

const keyword = { a: 0.9, b: 0.8, c: 0.7, d: 0.3, e: 0.2 }
const own = new Map(Object.entries(keyword))
const expand = (expansion: Record<string, number>, more: Parameters<typeof contextOf>[0] = {}) =>
  valuesOf(expansionEvidence, { hits: hitsOf({ keyword, expansion }), own, ...more })

test('a row that shares words with the best rows gains evidence', t => {
  const hits = hitsOf({ keyword, expansion: { e: 0.4 } })
  t.deepEqual(
    rankCandidates(contextOf({ hits }))
      .ranked.slice()
      .map(({ id }) => id),
    ['a', 'b', 'c', 'e', 'd'],
  )
})

test('the best three rows gain no expansion', t => {
  t.deepEqual([...expand({ a: 1, b: 1, c: 1, d: 0.1 }).keys()], ['d'])
})

test('expansion never reaches the third best row, and the order is kept', t => {
  const additions = expand({ d: 5, e: 4 })
  const [d, e] = [0.3 + additions.get('d')!, 0.2 + additions.get('e')!]
  t.true(d > e)
  t.true(d < keyword.c)
})

test('fewer than three rows with evidence are not expanded', t => {
  const two = new Map([
    ['a', 0.9],
    ['b', 0.8],
  ])
  t.is(expand({ a: 1, b: 1, d: 1 }, { own: two }).size, 0)
})

test('expansion applies to sessions of short turns, not to pages', t => {
  const turns = (terms: number) => ({ facts: factsOf(conversation(['d'], terms)) })
  t.is(expand({ d: 0.4 }, turns(200)).size, 0)
  t.is(expand({ d: 0.4 }, turns(20)).size, 1)
})

test('evidence above the third best is not reduced', t => {
  const tied = new Map(Object.keys(keyword).map(id => [id, 0.5]))
  t.is(expand({ d: 5, e: 5 }, { own: tied }).size, 0)
})
