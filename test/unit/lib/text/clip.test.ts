import test from 'ava'
import { clip, quoted } from '../../../../src/lib/text/clip.js'

test('a text that fits is unchanged', t => {
  t.is(clip('five!', 5), 'five!')
})

test('a cut text ends in an ellipsis within its length', t => {
  t.is(clip('one two three', 8), 'one two…')
})

test('a cut never splits a character', t => {
  t.is(clip('ab😀cd', 4), 'ab…')
})

test('a quoted value stays one short line', t => {
  t.is(quoted('a\n"b"'), '"a\\n\\"b\\""')
  t.is(quoted('x'.repeat(500)).length, 102)
})
