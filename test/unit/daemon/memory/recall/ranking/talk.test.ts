import test from 'ava'
import { talkShare } from '../../../../../../src/daemon/memory/recall/ranking/candidate-rows.js'
import { contextOf, conversation, factsOf } from './sample-context.js'

const turnOf = (sessionTerms: number) => factsOf(conversation(['a'], sessionTerms))('a')

/** Returns for row `a` whether it is a page, and its share as a turn of a talk. */
const asCandidate = (facts: ReturnType<typeof factsOf>) => {
  const { rows } = contextOf({ facts })
  return { isPage: rows.isPage(rows.placeOf('a')!), talk: rows.talk(rows.placeOf('a')!) }
}

test('a session of short turns is a talk, one of long turns is not, and between is partial', t => {
  t.deepEqual(
    [1, 50, 120, 900].map(terms => talkShare(turnOf(terms))),
    [1, 1, 0, 0],
  )
  t.is(talkShare(turnOf(85)), 0.5)
})

test('only rows of sessions with long turns are pages', t => {
  t.deepEqual(
    [50, 119, 120, 900].map(terms => asCandidate(factsOf(conversation(['a'], terms))).isPage),
    [false, false, true, true],
  )
})

test('a memory outside a session is neither talk nor page, whatever its length', t => {
  const facts = factsOf({ a: { terms: 500, sessionTerms: 500 } })
  t.is(talkShare(facts('a')), 0)
  t.deepEqual(asCandidate(facts), { isPage: false, talk: 0 })
  t.is(talkShare(undefined), 0)
})
