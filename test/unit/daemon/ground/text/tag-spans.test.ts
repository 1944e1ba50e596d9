// runs: in turn

import test from 'ava'
import fc from 'fast-check'
import { withoutRecalled } from '../../../../../src/daemon/ground/text/tag-spans.js'
import { cpuMsOf } from '../../../../helpers/cpu-time.js'

const envelope = '<service-memory-context version="1">\n## Memories\n- a canary\n</service-memory-context>'

const cases: readonly [what: string, text: string, rest: string][] = [
  ['an envelope', `hello\n${envelope}\nworld`, 'hello\n\nworld'],
  ['an envelope alone', envelope, ''],
  ['an indented envelope', `hello\n${envelope.replace(/^/gmu, '    ')}\nworld`, 'hello\n    \nworld'],
  [
    'an envelope escaped as HTML',
    `hello\n${envelope.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}`,
    'hello\n',
  ],
  ['a truncated envelope', 'hello\n<service-memory-context version="1">\n- a canary', 'hello\n'],
  ['peer messages', 'a\n<service-peer-messages>\ncanary\n</service-peer-messages>\nb', 'a\n\nb'],
  [
    'sections inside an envelope',
    'a <service-memory-context version="1"><service-peer-messages>x</service-peer-messages> canary</service-memory-context> b',
    'a  b',
  ],
  [
    'an entity section',
    'fix it\n\n## Relevant Entity Context\n\n- **api**: canary\n  more canary\n',
    'fix it\n\n',
  ],
  ['an entity section before text', '## Relevant Entity Context\n- canary\nWhat now?', 'What now?'],
  ['a quoted entity section', '> ## Relevant Entity Context\n> - canary\nWhat now?', 'What now?'],
]

for (const [what, text, rest] of cases)
  test(`recalled text is removed: ${what}`, t => {
    t.is(withoutRecalled(text), rest)
  })

for (const text of [
  '',
  'how does <service-memory-context> work?',
  '<service-memory-context> is not closed and <b>stays</b>',
  'the heading ## Relevant Entity Context inside a line',
  '</service-memory-context>',
])
  test(`other text is unchanged: ${text}`, t => {
    t.is(withoutRecalled(text), text)
  })

const pieces = fc.constantFrom(
  ...[
    '<service-memory-context version="1">',
    '<service-memory-context>',
    '</service-memory-context>',
    '>',
    '/',
    ' ',
  ],
  ...[
    '<service-peer-messages>',
    '</service-peer-messages>',
    '\n## Relevant Entity Context\n',
    '\n- item\n',
    'word',
  ],
  ...['\n', '&lt;', 'service-memory-context', '<', '> '],
)

test('a truncated envelope is removed, a mention before it is kept', t => {
  const text = 'see <service-memory-context>: <service-memory-context version="1">canary'
  t.is(withoutRecalled(text), 'see <service-memory-context>: ')
})

test('an element whose opening a removed one contained is found at once', t => {
  const text =
    '<service-peer-messages><service-memory-context></service-peer-messages><service-memory-context/'
  const once = withoutRecalled(text)
  t.is(withoutRecalled(once), once)
})

test('removing recalled text is idempotent', t => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), parts => {
      const once = withoutRecalled(parts.join(''))
      t.is(withoutRecalled(once), once)
    }),
    { numRuns: 2000 },
  )
})

for (const unit of [
  '<service-memory-context>',
  '<service-memory-context ',
  '## Relevant Entity Context\n',
  '- \n',
  '>',
])
  test(`two million characters of ${JSON.stringify(unit)} take less than a second`, t => {
    const text = unit.repeat(Math.ceil(2_000_000 / unit.length))
    t.true(cpuMsOf(() => withoutRecalled(text)) < 1000)
  })
