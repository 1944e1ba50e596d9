import test from 'ava'
import fc from 'fast-check'
import { assessContradiction } from '../../../../../src/daemon/memory/edit/contradiction.js'

const flagged = { contradictionRisk: true, reviewNeeded: true }
const unflagged = { contradictionRisk: false, reviewNeeded: false }

const cases: readonly [string, string, string, typeof flagged][] = [
  [
    'a negation in exactly one of two similar texts is flagged',
    'Deploys run on Friday',
    'Deploys do not run on Friday',
    flagged,
  ],
  [
    'a negation in both is not flagged',
    'Deploys never run on Friday',
    'Deploys do not run on Friday',
    unflagged,
  ],
  [
    'texts without negation and antonyms are not flagged',
    'Deploys run on Friday',
    'Deploys run on Monday',
    unflagged,
  ],
  ['an overlap of one token is not enough', 'Deploys happen weekly', 'Deploys not allowed', unflagged],
  ['an overlap of two tokens is enough', 'Deploys happen weekly', 'Deploys not weekly', flagged],
  ['tokens of one character do not overlap', 'a b c', 'a b not', unflagged],
  ['case and punctuation do not matter', 'The CACHE: expires!', '(the) cache never "expires".', flagged],
  ['an apostrophe joins its word', 'The tests pass locally', "The tests don't pass locally", flagged],
  [
    'a typographic apostrophe joins its word too',
    'The tests pass locally',
    'The tests don’t pass locally',
    flagged,
  ],
  ['a contraction without apostrophe negates', 'Builds will pass here', 'Builds wont pass here', flagged],
  ['cannot negates', 'Guests can read files', 'Guests cannot read files', flagged],
  ['a negation inside a longer word does not count', 'The note is here', 'The notebook is here', unflagged],
  ['enabled opposes disabled', 'Tracing is enabled here', 'Tracing is disabled here', flagged],
  ['allow opposes deny', 'Firewalls allow port 80', 'Firewalls deny port 80', flagged],
  ['accept opposes reject', 'Reviewers accept large diffs', 'Reviewers reject large diffs', flagged],
  ['always opposes never', 'Always squash commits', 'Never squash commits', flagged],
  ['on opposes off', 'The strict mode is on', 'The strict mode is off', flagged],
  ['true opposes false', 'The flag verbose is true', 'The flag verbose is false', flagged],
  ['antonyms need the overlap too', 'Tracing enabled', 'Metrics disabled', unflagged],
  [
    'both antonyms in both texts are not flagged',
    'The flag is true or false',
    'The flag: true or false',
    unflagged,
  ],
  ['empty texts are not flagged', '', '', unflagged],
]

for (const [rule, memory, proposal, expected] of cases)
  test(`${rule} (rules.md 1.5)`, t => {
    t.deepEqual(assessContradiction(memory, proposal), expected)
  })

const words = fc.array(
  fc.constantFrom('cache', 'is', 'on', 'off', 'not', 'never', 'always', 'true', 'don’t', 'x'),
  { maxLength: 8 },
)

test('contradiction is symmetric, and a text never contradicts itself (rules.md 1.5)', t => {
  fc.assert(
    fc.property(words, words, (a, b) => {
      const [one, other] = [a.join(' '), b.join(' ')]
      t.deepEqual(assessContradiction(one, other), assessContradiction(other, one))
      t.deepEqual(assessContradiction(one, one), unflagged)
    }),
  )
})
