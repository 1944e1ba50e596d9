import test from 'ava'
import fc from 'fast-check'
import { BoundedOutput } from '../../../../../src/daemon/platform/processes/bounded-output.js'

function kept(chunks: readonly Uint8Array[], half: number) {
  const output = new BoundedOutput(half)
  for (const chunk of chunks) output.add(Buffer.from(chunk))
  return output
}

test('what fits is kept whole, in whatever pieces it comes (secret-commands.md 4)', t => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 7 }), { maxLength: 8 }), chunks => {
      const { head, leftOut } = kept(chunks, 28).parts()
      t.is(leftOut, 0)
      t.deepEqual(head, Buffer.concat(chunks))
    }),
  )
})

test('of more than that the beginning and the end are kept, and the rest is counted (secret-commands.md 4)', t => {
  const piece = fc.uint8Array({ minLength: 1, maxLength: 40, max: 127 })
  fc.assert(
    fc.property(fc.array(piece, { minLength: 30, maxLength: 40 }), chunks => {
      const all = Buffer.concat(chunks)
      fc.pre(all.length > 20)
      const { head, leftOut, tail } = kept(chunks, 10).parts()
      t.deepEqual(head, all.subarray(0, 10))
      t.deepEqual(tail, all.subarray(-10))
      t.is(leftOut, all.length - 20)
    }),
  )
})

test('no character is cut in two (secret-commands.md 4)', t => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 30, maxLength: 60 }),
      fc.integer({ min: 4, max: 10 }),
      (text, half) => {
        fc.pre(Buffer.byteLength(text) > half * 2 && !text.includes('\ufffd'))
        t.false(
          kept([Buffer.from(text)], half)
            .text()
            .text.includes('\ufffd'),
        )
      },
    ),
  )
})
