import test from 'ava'
import fc from 'fast-check'
import {
  chunkLength,
  chunksOf,
  chunkText,
} from '../../../../../src/daemon/ground/chunks/transcript-chunks.js'

const texts = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
    fc.string({ minLength: 1500, maxLength: 9000, unit: fc.constantFrom('a', 'b', ' ', '\n', '😀') }),
  ),
  { minLength: 1, maxLength: 12 },
)
const numbered = (list: readonly string[]) => list.map((text, position) => ({ position, text }))

test('chunks contain every character once, in order, with similar lengths', t => {
  fc.assert(
    fc.property(texts, list => {
      const chunks = [...chunksOf(numbered(list))]
      t.is(
        chunks
          .map(({ text }) => text)
          .join('')
          .replaceAll('\n', ''),
        list.join('').replaceAll('\n', ''),
      )
      for (const { text } of chunks) {
        t.true(text.length <= chunkLength)
        t.true(text.isWellFormed())
      }
    }),
  )
})

test('the position of a chunk finds its text in the messages', t => {
  fc.assert(
    fc.property(texts, list => {
      for (const chunk of chunksOf(numbered(list)))
        t.is(chunkText(chunk, numbered(list)).replaceAll('\n', ''), chunk.text.replaceAll('\n', ''))
    }),
  )
})

test('chunking from the last chunk on equals chunking everything', t => {
  fc.assert(
    fc.property(texts, texts, (before, added) => {
      const all = numbered([...before, ...added])
      const first = [...chunksOf(numbered(before))]
      const last = first.at(-1)!
      const rest = chunksOf(all.slice(last.first_position), last.first_offset)
      t.deepEqual([...first.slice(0, -1), ...rest], [...chunksOf(all)])
    }),
  )
})
