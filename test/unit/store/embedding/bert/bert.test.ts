import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { miniLmFile } from '../../../../../bench/models/mini-lm.js'
import { packageFile } from '../../../../../src/lib/files/package-root.js'
import { readBertWeights } from '../../../../../src/store/embedding/bert/bert-weights.js'
import { openBert, windowsOf } from '../../../../../src/store/embedding/open-bert.js'

const folder = packageFile('models', 'all-MiniLM-L6-v2')
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)

test('texts that mean the same are near, and others are not', async t => {
  const embed = (await openBert(folder))!
  const [asked, meant, other] = [
    'why am I thrown out of the test environment so soon',
    'Staging logins expire after fifteen minutes of idling',
    'The nightly export runs on worker-3',
  ].map(embed) as [Float32Array, Float32Array, Float32Array]
  t.is(asked.length, 384)
  t.true(Math.abs(cosine(asked, asked) - 1) < 1e-5)
  t.true(cosine(asked, meant) > 0.2)
  t.true(cosine(asked, meant) > cosine(asked, other) + 0.05)
})

test('the vectors equal those of the reference runtime', async t => {
  const embed = (await openBert(folder))!
  const { reference } = JSON.parse(
    await readFile(new URL('./reference-vectors.json', import.meta.url), 'utf8'),
  ) as { reference: { text: string; first: number[] }[] }
  for (const { text, first } of reference) {
    const vector = embed(text)
    for (const [i, value] of first.entries()) t.true(Math.abs(vector[i]! - value) < 0.004, `${text} ${i}`)
  }
})

test('an empty text, one token and any number of tokens have a vector of unit length', async t => {
  const embed = (await openBert(folder))!
  for (const words of [0, 1, 2, 3, 5, 125, 126, 127, 300]) {
    const vector = embed('word '.repeat(words))
    t.true(Math.abs(cosine(vector, vector) - 1) < 1e-5, `${words} words`)
  }
})

test('the vector of a long text is near each of its parts', async t => {
  const embed = (await openBert(folder))!
  const parts = ['The cat sleeps on the warm stove. ', 'Interest rates rose by half a percent. ']
  const long = embed(parts.map(part => part.repeat(40)).join(''))
  for (const part of parts) t.true(cosine(long, embed(part)) > 0.4)
})

test('windows have nearly equal size', t => {
  const sizes = (tokens: number) =>
    windowsOf(new Array<number>(tokens).fill(0), 126).map(({ length }) => length)
  t.deepEqual(sizes(0), [0])
  t.deepEqual(sizes(126), [126])
  t.deepEqual(sizes(127), [64, 63])
  t.deepEqual(sizes(400), [100, 100, 100, 100])
})

test('other graphs and broken files are left to the runtime library', async t => {
  t.is(readBertWeights(miniLmFile()), undefined)
  t.is(readBertWeights(new Uint8Array(0)), undefined)
  const file = await readFile(join(folder, 'onnx', 'model_quantized.onnx'))
  t.is(readBertWeights(file.subarray(0, 100_000)), undefined)
})
