import test from 'ava'
import fc from 'fast-check'
import { BoundedOutput } from '../../../../../src/daemon/platform/processes/bounded-output.js'

function boundedOutputOf(chunks: readonly Uint8Array[], half: number) {
  const output = new BoundedOutput(half)
  for (const chunk of chunks) output.add(Buffer.from(chunk))
  return output
}

test('output within the limit is kept completely for any chunking (secret-commands.md 4)', t => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 7 }), { maxLength: 8 }), chunks => {
      const { head, leftOut } = boundedOutputOf(chunks, 28).parts()
      t.is(leftOut, 0)
      t.deepEqual(head, Buffer.concat(chunks))
    }),
  )
})

test('of longer output the beginning and end are kept, and the rest is counted (secret-commands.md 4)', t => {
  const piece = fc.uint8Array({ minLength: 1, maxLength: 40, max: 127 })
  fc.assert(
    fc.property(fc.array(piece, { minLength: 30, maxLength: 40 }), chunks => {
      const all = Buffer.concat(chunks)
      fc.pre(all.length > 20)
      const { head, leftOut, tail } = boundedOutputOf(chunks, 10).parts()
      t.deepEqual(head, all.subarray(0, 10))
      t.deepEqual(tail, all.subarray(-10))
      t.is(leftOut, all.length - 20)
    }),
  )
})

test('no character is split (secret-commands.md 4)', t => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 30, maxLength: 60 }),
      fc.integer({ min: 4, max: 10 }),
      (text, half) => {
        fc.pre(Buffer.byteLength(text) > half * 2 && !text.includes('\ufffd'))
        t.false(
          boundedOutputOf([Buffer.from(text)], half)
            .text()
            .text.includes('\ufffd'),
        )
      },
    ),
  )
})
