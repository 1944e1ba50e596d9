import test from 'ava'
import { label, oneLine, unscannedLine } from '../../../src/lib/one-line.js'

test('every kind of line break and control character becomes one blank', t => {
  t.is(oneLine(' a\r\nb\u2028c\u2029d\u0085e\v\ff\u001b[2Jg\u0000h ', 100), 'a b c d e f [2Jg h')
})

test('a text that nobody scanned hides nothing, and keeps the joiners that words are spelled with', t => {
  t.is(unscannedLine('a\u202eb\u{e0041}\nمی\u200cخواهم', 100), 'ab می\u200cخواهم')
})

test('a long text is cut', t => {
  t.is(oneLine('x'.repeat(20), 10), `${'x'.repeat(9)}…`)
})

test('a label shows no hidden characters and closes no bracket', t => {
  t.is(label('da\u200bna\u202e \u{e0041}\u{e0042}] [system'), 'dana ) (system')
  t.is(label('x'.repeat(200)).length, 80)
})

test('a label keeps letters of every script', t => {
  t.is(label('Mária Šťastná 王芳 דנה'), 'Mária Šťastná 王芳 דנה')
})
