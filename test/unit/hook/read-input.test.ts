import { PassThrough, Readable } from 'node:stream'
import test from 'ava'
import { readInput } from '../../../src/hook/read-input.js'

const limits = { maxBytes: 1000, timeoutMs: 20_000 }

test('input is read to its end for any chunking', async t => {
  const stream = new PassThrough()
  const reading = readInput(stream, limits)
  stream.write('{"a"')
  stream.end(':1}')
  t.is((await reading).toString(), '{"a":1}')
})

test('complete JSON is accepted without waiting for the end', async t => {
  const stream = new PassThrough()
  stream.write('{"a":1}\n')
  t.is((await readInput(stream, limits)).toString(), '{"a":1}\n')
})

test('incomplete JSON without an end times out', async t => {
  const stream = new PassThrough()
  stream.write('{"a":')
  await t.throwsAsync(readInput(stream, { ...limits, timeoutMs: 100 }), { message: 'no input within 100 ms' })
})

test('too large input is refused before all of it arrives', async t => {
  const stream = new PassThrough()
  stream.write('x'.repeat(1001))
  await t.throwsAsync(readInput(stream, limits), { message: /larger than 1000 bytes/ })
})

test('a broken stream is an error, not partial input', async t => {
  const stream = new PassThrough()
  const reading = readInput(stream, limits)
  stream.destroy(new Error('gone'))
  await t.throwsAsync(reading, { message: 'gone' })
})

test('a byte order mark is not part of the input, in whatever chunks it comes', async t => {
  for (const size of [1, 2, 3, 100]) {
    const bytes = Buffer.from('\uFEFF{"a":"\uFEFF"}')
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    )
    t.is((await readInput(Readable.from(chunks), limits)).toString(), '{"a":"\uFEFF"}')
  }
})
