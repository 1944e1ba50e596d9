import test from 'ava'
import { standingEvidence } from '../../../../../../src/daemon/memory/recall/ranking/dates.js'
import { weights } from '../../../../../../src/daemon/memory/recall/ranking/weights.js'

const lasting = { superseded_by: null, valid_from: null, valid_until: null }
const rows = new Map(
  ['fact', 'preference', 'rule', 'decision', 'procedural', 'learning'].map(type => [
    type,
    { ...lasting, type },
  ]),
)
const contents = new Map([...rows.keys()].map(id => [id, 'Two spaces, single quotes']))
const lifted = (query: string) => [...standingEvidence({ query, rows, contents }).keys()]

for (const query of [
  'write the commit message',
  'please add a button to the form',
  'how should I format the report?',
  'can I push to main on a Friday',
  'which package manager do I use here',
  'I want to deploy this afternoon',
  '- Write, then ship',
  "let's  rename it",
  'could you Fix the gauge',
  'now: should it stay',
]) {
  test(`a task question lifts preferences, rules, decisions and procedures: ${query}`, t => {
    t.deepEqual(lifted(query), ['preference', 'rule', 'decision', 'procedural'])
  })
}

for (const query of [
  'port of the staging database',
  'who owns the billing service',
  'when was the cluster moved',
  'writes of the cluster',
  'write_ahead log of the cluster',
  'now - write',
  'please the board',
  'writ\u212Ae',
]) {
  test(`a factual question favours no type: ${query}`, t => {
    t.deepEqual(lifted(query), [])
  })
}

test('a lifted type gains exactly one factor', t => {
  t.is(standingEvidence({ query: 'write the changelog', rows, contents }).get('rule'), weights.standing)
})

test('a type inferred from a keyword is not lifted', t => {
  const inferred = new Map(contents).set('rule', 'You should always see the button here')
  t.deepEqual(
    [...standingEvidence({ query: 'how do I hide the button', rows, contents: inferred }).keys()],
    ['preference', 'decision', 'procedural'],
  )
})
