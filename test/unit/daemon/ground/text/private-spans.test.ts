// runs: in turn

import test from 'ava'
import fc from 'fast-check'
import { noCut, withoutPrivate } from '../../../../../src/daemon/ground/text/private-spans.js'
import { cpuMsOf } from '../../../../helpers/cpu-time.js'

const cases: readonly [what: string, text: string, rest: string][] = [
  ['a span', 'a <private>secret</private> b', 'a  b'],
  ['any case', 'a <PRIVATE>secret</Private> b', 'a  b'],
  ['attributes', 'a <private reason="key > lock">secret</private> b', 'a  b'],
  ['a span after an opening without an end', 'a <private> b <private>secret</private> c', 'a <private> b  c'],
  ['a span around code', 'a <private>`secret`\n```\nsecret\n```\n</private> b', 'a  b'],
  ['a span that ends in code only', 'a <private>secret `</private>` b', 'a ` b'],
  ['a span with a closing tag in code', 'a <private>x `</private>` secret</private> b', 'a  b'],
  ['a span after a lost fence', 'a\n```\n<private>secret</private> b', 'a\n```\n b'],
  ['a span between lost backticks of two lines', 'it`s <private>secret</private>\nit`s', 'it`s \nit`s'],
  ['nested spans', 'a <private>x <private>y</private> secret</private> b', 'a  b'],
  ['spans over lines', 'a\n<private>\nsecret\n</private>\nb', 'a\n\nb'],
  ['escaped as HTML', 'a &lt;private&gt;secret&lt;/private&gt; b', 'a  b'],
  ['escaped twice', 'a &amp;lt;private&amp;gt;secret&amp;lt;/private&amp;gt; b', 'a  b'],
  ['escaped as JSON', String.raw`a \u003cprivate\u003esecret\u003c/private\u003e b`, 'a  b'],
  ['a slash escaped as JSON', String.raw`a <private>secret<\/private> b`, 'a  b'],
  ['an empty element only', 'a <private/> b', 'a  b'],
  ['text that would join to a new tag', '<pri<private>x</private>vate>secret', '<pri vate>secret'],
  ['several spans', '<private>1</private><private>2</private>c<private>3</private>d', 'c d'],
]

for (const [what, text, rest] of cases)
  test(`private spans are removed: ${what}`, t => {
    t.is(withoutPrivate(text), rest)
  })

for (const text of [
  '',
  'private',
  'a </private> b',
  '<private-key>x</private-key>',
  '<privately>x',
  'a < private > b',
  'a <private>b\nand more',
  'a <private b',
  'the `<private>` tag hides text until `</private>`, always',
  'write `<private>a</private>` or ``<private>`b`</private>``',
  '```html\n<private>a</private>\n```\nb',
  '~~~\n<private>a</private>\n~~~\nb',
])
  test(`text without a private span is unchanged: ${text}`, t => {
    t.is(withoutPrivate(text), text)
  })

const pieceTexts = [
  ...[
    '<private>',
    '</private>',
    '<PRIVATE a="b">',
    '<private',
    '<private/>',
    '`',
    '```',
    '<pri',
    'vate>',
    '>',
    '/',
    '<',
    ' ',
    '\n',
  ],
  ...[
    '&lt;private&gt;',
    '&lt;/private&gt;',
    '&',
    'lt;',
    '-',
    'word',
    '\ud800',
    '\0',
    String.raw`\u003cprivate\u003e`,
  ],
]
const pieces = fc.constantFrom(...pieceTexts)

test('the private parts of a text are counted, and the openings without an end', t => {
  const cut = noCut()
  withoutPrivate('a <private>b</private> c <private/> <private> d', cut)
  t.deepEqual(cut, { parts: 2, characters: 30, unclosed: 1 })
})

test('removing private spans is idempotent', t => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), parts => {
      const once = withoutPrivate(parts.join(''))
      t.is(withoutPrivate(once), once)
    }),
    { numRuns: 2000 },
  )
})

test('the content of a private span outside of code never remains', t => {
  const outside = fc.constantFrom(...pieceTexts.filter(piece => !piece.includes('`')))
  fc.assert(
    fc.property(
      fc.array(outside, { maxLength: 15 }),
      fc.array(outside, { maxLength: 15 }),
      (before, after) => {
        const text = `${before.join('')}<private>canary</private>${after.join('')}`
        t.false(withoutPrivate(text).includes('canary'))
      },
    ),
    { numRuns: 2000 },
  )
})

const hostile: readonly [what: string, unit: string][] = [
  ['opening tags', '<private>'],
  ['unclosed opening tags', '<private '],
  ['closing tags', '</private>'],
  ['partial tags', '<privat'],
  ['escapes', '&amp;amp;amp;'],
  ['backslashes', '\\'],
  ['spans', '<private>x</private>y'],
  ['spans in code', '`<private>x</private>`'],
  ['backticks', '<private>`` ` ```'],
]

for (const [what, unit] of hostile)
  test(`two million characters of ${what} take less than a second`, t => {
    const text = unit.repeat(Math.ceil(2_000_000 / unit.length))
    t.true(cpuMsOf(() => withoutPrivate(text)) < 1000)
  })
