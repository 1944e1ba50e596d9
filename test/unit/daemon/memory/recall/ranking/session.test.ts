import test from 'ava'
import { sessionEvidence } from '../../../../../../src/daemon/memory/recall/ranking/session.js'
import { conversation, factsOf, givenBy, hitsOf } from './sample-context.js'

const hits = hitsOf({ sessions: { s: 0.8 } })

test('a row that covers less than its session is lifted towards it', t => {
  const lifts = givenBy(sessionEvidence, {
    hits,
    facts: factsOf({ a: { session: 's' } }),
    own: new Map([['a', 0.3]]),
  })
  t.true(lifts.get('a')! > 0 && lifts.get('a')! < 0.5)
})

test('a row that covers as much as its session gains nothing', t => {
  const lifts = givenBy(sessionEvidence, {
    hits,
    facts: factsOf({ a: { session: 's' } }),
    own: new Map([['a', 0.9]]),
  })
  t.is(lifts.size, 0)
})

test('a memory that stands alone and one of a silent session gain nothing', t => {
  const facts = factsOf({ other: { session: 'silent' } })
  const own = new Map([
    ['alone', 0.3],
    ['other', 0.3],
  ])
  t.is(givenBy(sessionEvidence, { hits, facts, own }).size, 0)
})

test('in a session of pages nothing is lifted towards it', t => {
  const facts = factsOf(conversation(['a'], 200))
  t.is(givenBy(sessionEvidence, { hits, facts, own: new Map([['a', 0.3]]) }).size, 0)
})
