import test from 'ava'
import { sessionEvidence } from '../../../../../../src/daemon/memory/recall/ranking/session.js'
import { conversation, factsOf, hitsOf, valuesOf } from './sample-context.js'

const hits = hitsOf({ sessions: { s: 0.8 } })

test('a row with less coverage than its session is lifted towards it', t => {
  const lifts = valuesOf(sessionEvidence, {
    hits,
    facts: factsOf({ a: { session: 's' } }),
    own: new Map([['a', 0.3]]),
  })
  t.true(lifts.get('a')! > 0 && lifts.get('a')! < 0.5)
})

test('a row with as much coverage as its session gains nothing', t => {
  const lifts = valuesOf(sessionEvidence, {
    hits,
    facts: factsOf({ a: { session: 's' } }),
    own: new Map([['a', 0.9]]),
  })
  t.is(lifts.size, 0)
})

test('a memory without session, or in one without hits, gains nothing', t => {
  const facts = factsOf({ other: { session: 'silent' } })
  const own = new Map([
    ['alone', 0.3],
    ['other', 0.3],
  ])
  t.is(valuesOf(sessionEvidence, { hits, facts, own }).size, 0)
})

test('pages are not lifted towards their session', t => {
  const facts = factsOf(conversation(['a'], 200))
  t.is(valuesOf(sessionEvidence, { hits, facts, own: new Map([['a', 0.3]]) }).size, 0)
})
