import test from 'ava'
import { linesOf, noteItem } from '../../../../../src/daemon/ground/text/note-lines.js'

test('lines keep their lists and lose what is empty', t => {
  t.deepEqual(linesOf('# A\r\n\n \n- b   c\n  - d\t e \u2028end'), ['# A', '- b c', '  - d e', 'end'])
  t.deepEqual(linesOf(' \n\t'), [])
})

test('a line that stands very far to the right is moved back', t => {
  t.deepEqual(linesOf(`${' '.repeat(1000)}- a`), ['        - a'])
})

test('a note of one line stands beside its label, a longer one below it', t => {
  t.is(noteItem('- [x]', ['  - a']), '- [x] - a')
  t.is(noteItem('- [x]', ['a', '  - b']), '- [x]\n  a\n    - b')
})
