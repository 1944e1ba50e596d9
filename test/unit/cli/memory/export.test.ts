import test from 'ava'
import { escapeUndrawable } from '../../../../src/cli/memory/export.js'

test('a terminal gets no control or direction characters, and the line means the same', t => {
  const line = JSON.stringify({ content: 'a\u009b31m \u202eb \u2066c \u{e0041} é 東京 \u2028' })
  const shown = escapeUndrawable(line)
  t.notRegex(shown, /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]|[\u{e0000}-\u{e0fff}]/u)
  t.regex(shown, /é 東京/)
  t.deepEqual(JSON.parse(shown), JSON.parse(line))
})
