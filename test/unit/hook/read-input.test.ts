import { PassThrough } from 'node:stream'
import test from 'ava'
import { readInput } from '../../../src/hook/read-input.js'

const limits = { maxBytes: 1000, timeoutMs: 20_000 }

test('everything up to the end is read, however it is cut', async t => {
  const stream = new PassThrough()
  const reading = readInput(stream, limits)
  stream.write('{"a"')
  stream.end(':1}')
  t.is((await reading).toString(), '{"a":1}')
})

test('whole JSON is taken without waiting for an end', async t => {
  const stream = new PassThrough()
  stream.write('{"a":1}\n')
  t.is((await readInput(stream, limits)).toString(), '{"a":1}\n')
})

test('half of a JSON text without an end is given up in time', async t => {
  const stream = new PassThrough()
  stream.write('{"a":')
  await t.throwsAsync(readInput(stream, { ...limits, timeoutMs: 100 }), { message: 'no input within 100 ms' })
})

test('input that is too large is given up before all of it is there', async t => {
  const stream = new PassThrough()
  stream.write('x'.repeat(1001))
  await t.throwsAsync(readInput(stream, limits), { message: /larger than 1000 bytes/ })
})

test('a stream that breaks is a fault, not half of an input', async t => {
  const stream = new PassThrough()
  const reading = readInput(stream, limits)
  stream.destroy(new Error('gone'))
  await t.throwsAsync(reading, { message: 'gone' })
})
