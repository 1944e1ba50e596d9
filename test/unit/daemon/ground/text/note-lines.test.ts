import test from 'ava'
import { linesOf, noteItem } from '../../../../../src/daemon/ground/text/note-lines.js'

test('lines keep their lists, and empty ones are removed', t => {
  t.deepEqual(linesOf('# A\r\n\n \n- b   c\n  - d\t e \u2028end'), ['# A', '- b c', '  - d e', 'end'])
  t.deepEqual(linesOf(' \n\t'), [])
})

test('very deep indentation is reduced', t => {
  t.deepEqual(linesOf(`${' '.repeat(1000)}- a`), ['        - a'])
})

test('a note of one line follows its label, a longer one starts below it', t => {
  t.is(noteItem('- [x]', ['  - a']), '- [x] - a')
  t.is(noteItem('- [x]', ['a', '  - b']), '- [x]\n  a\n    - b')
})
