import test from 'ava'
import fc from 'fast-check'
import {
  clipText,
  clipWords,
  displayWidth,
  formatMs,
  padText,
  plainLine,
  wrapText,
} from '../../../../src/cli/terminal/text.js'
import { countOf } from '../../../../src/lib/text/count-of.js'

test('a stored text cannot drive the terminal', t => {
  t.is(plainLine('a\u001b[31mred\u001b[0m\u0007 b'), 'a[31mred[0m b')
  t.is(plainLine('one\n\ttwo'), 'one two')
  t.is(plainLine('safe\u202egnp.exe'), 'safegnp.exe')
})

test('wide characters and emoji take two columns, combining marks take none', t => {
  t.is(displayWidth('abc'), 3)
  t.is(displayWidth('記憶'), 4)
  t.is(displayWidth('e\u0301'), 1)
  t.is(displayWidth('👍🏽'), 2)
})

test('widths follow the Unicode tables, also for rare scripts and invisible characters', t => {
  t.is(displayWidth('\u{1b000}'), 2, 'a historic kana')
  t.is(displayWidth('\u{17000}'), 2, 'a Tangut ideograph')
  t.is(displayWidth('a\u2060b\ufeff'), 2, 'joiners')
  t.is(displayWidth('a\u20dd'), 1, 'an enclosing mark')
  t.is(displayWidth('café – naïve'), 12)
})

test('a cut text is marked and never wider than requested', t => {
  t.is(clipText('short', 10), 'short')
  t.is(clipText('a long sentence', 8), 'a long…')
  t.is(clipText('記憶記憶', 5), '記憶…')
  t.is(clipText('anything', 0), '')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 30 }), (text, width) => {
      t.true(displayWidth(clipText(text, width)) <= width)
    }),
    { numRuns: 50 },
  )
})

test('padding counts columns, not characters', t => {
  t.is(padText('記', 4), '記  ')
  t.is(padText('too long', 4), 'too…')
})

test('text wraps at spaces, and inside words longer than a line', t => {
  t.deepEqual(wrapText('one two three', 7), ['one two', 'three'])
  t.deepEqual(wrapText('abcdefghij', 4), ['abcd', 'efgh', 'ij'])
  t.deepEqual(wrapText('記憶記憶', 4), ['記憶', '記憶'])
  t.deepEqual(wrapText('', 4), [''])
})

test('counts and times are readable', t => {
  t.is(countOf(1, 'memory', 'memories'), '1 memory')
  t.is(countOf(2, 'memory', 'memories'), '2 memories')
  t.is(formatMs(0.84), '0.8 ms')
  t.is(formatMs(12.4), '12 ms')
  t.is(formatMs(1440), '1.4 s')
})

test('a cell is cut between words where little is lost', t => {
  t.is(clipWords('one two three', 13), 'one two three')
  t.is(clipWords('We deploy on Fridays', 15), 'We deploy on…')
  t.is(clipWords('We deploy on Fridays', 13), 'We deploy on…')
  t.is(clipWords('/a/very/long/path/of/one/word', 10), '/a/very/l…')
  t.is(clipWords('a configurationwithoutspaces', 12), 'a configura…')
})
