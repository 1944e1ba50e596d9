// runs: in turn

import test from 'ava'
import fc from 'fast-check'
import { clip } from '../../../../src/lib/text/clip.js'
import { label, oneLine, unscannedLine } from '../../../../src/lib/text/one-line.js'
import { leastCpuMsOf } from '../../../helpers/cpu-time.js'

test('every line break and control character becomes one space', t => {
  t.is(oneLine(' a\r\nb\u2028c\u2029d\u0085e\v\ff\u001b[2Jg\u0000h ', 100), 'a b c d e f [2Jg h')
})

test('an unscanned text loses hidden characters but keeps joiners within words', t => {
  t.is(unscannedLine('a\u202eb\u{e0041}\nمی\u200cخواهم', 100), 'ab می\u200cخواهم')
})

test('a long text is cut', t => {
  t.is(oneLine('x'.repeat(20), 10), `${'x'.repeat(9)}…`)
})

test('a label contains no hidden characters and cannot close a bracket', t => {
  t.is(label('da\u200bna\u202e \u{e0041}\u{e0042}] [system'), 'dana ) (system')
  t.is(label('x'.repeat(200)).length, 80)
})

test('a label keeps letters of every script', t => {
  t.is(label('Mária Šťastná 王芳 דנה'), 'Mária Šťastná 王芳 דנה')
})

test('only the beginning of a text is read, with the same line as from the whole text', t => {
  const pieces = fc.constantFrom(
    'a',
    'bc ',
    ' ',
    '\n\n',
    '\u2028',
    '\u0000',
    '😀',
    '\ud83d',
    ' '.repeat(300),
    'x'.repeat(90),
  )
  const texts = fc.array(pieces, { maxLength: 60 }).map(list => list.join(''))
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, length) => {
      t.is(oneLine(text, length), clip(text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim(), length))
    }),
  )
})

for (const unit of ['the crane lifts a load ', '\n ', 'x'])
  test(`ten million characters of ${JSON.stringify(unit)} become a line in a few milliseconds`, t => {
    const text = `begins ${unit.repeat(10_000_000 / unit.length)} ends`
    t.true(leastCpuMsOf(() => oneLine(text, 500)) < 100)
  })

test('spaces between words cost almost nothing', t => {
  const costOf = (text: string) => leastCpuMsOf(() => Array.from({ length: 2000 }, () => oneLine(text, 2000)))
  t.true(costOf('some words of it '.repeat(120)) < 8 * costOf('somewordsofthem. '.trim().repeat(128)))
})
