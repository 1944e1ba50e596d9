import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'ava'
import { EmbeddingUnavailable } from '../../../../../src/store/embedding/embedder.js'
import {
  decodeModel,
  encodeModel,
  UnreadableModel,
} from '../../../../../src/store/embedding/static/model-file.js'
import { cosine, openEmbedder } from '../../../../helpers/embedding-fakes.js'
import { smallModel, smallModelFile } from '../../../../helpers/static-model.js'
import { temporaryFolder } from '../../../../helpers/temporary-folder.js'

const patient = { kind: 'document', deadlineMs: 10_000 } as const

test('by default the bundled model returns unit vectors, close for similar meanings', async t => {
  const embedder = openEmbedder(t, { staticFile: await smallModelFile(t) })
  t.like(embedder.status(), {
    provider: 'static',
    model: 'static-en-1',
    dimensions: 128,
    available: true,
    state: 'ready',
  })
  const [car, vehicle, cake] = await embedder.embed(['car garage', 'Parked vehicles!', 'lemon cake'], patient)
  t.true(Math.abs(Math.hypot(...car!) - 1) < 1e-6)
  t.true(cosine(car!, vehicle!) > 0.999)
  t.is(cosine(car!, cake!), 0)
})

test('a text of mostly unknown words gets no vector, and other texts are unaffected', async t => {
  const embedder = openEmbedder(t, { staticFile: await smallModelFile(t) })
  for (const text of ['Das Auto steht in der Garage', '9f86d081884c7d659a2feaa0c55ad015', '記憶', '', '1234'])
    t.deepEqual(await embedder.embed([text], patient), [undefined])
  t.deepEqual(await embedder.embed(['xyz'], { ...patient, kind: 'query' }), [undefined])
  const [cake, unknown, garage] = await embedder.embed(['the lemon cake', 'xyz', 'car garage'], patient)
  t.is(unknown, undefined)
  t.true(cake && garage && cosine(cake, garage) < 0.5)
  t.is(embedder.status().state, 'ready')
})

test('a damaged file, another format and another version are refused with advice', async t => {
  const whole = encodeModel(smallModel())
  const flipped = Buffer.from(whole)
  flipped[flipped.length - 1]! ^= 1
  const newer = Buffer.from(whole)
  newer.writeUInt32LE(2, 4)
  for (const [content, why] of [
    [flipped, /checksum differs/],
    [newer, /format 2/],
    [whole.subarray(0, 8), /not a model file/],
    [whole.subarray(0, -5), /checksum differs/],
    [encodeModel(smallModel('static-en-0')), /contains static-en-0/],
  ] as const) {
    const embedder = openEmbedder(t, { staticFile: await smallModelFile(t, content) })
    const error = await t.throwsAsync(embedder.embed(['car'], patient), { instanceOf: EmbeddingUnavailable })
    t.regex(error?.message ?? '', why)
    t.regex(error?.message ?? '', /install this package again/)
  }
})

test('a model file is read as written', t => {
  const model = smallModel()
  t.deepEqual(decodeModel(encodeModel(model)), model)
  t.throws(() => decodeModel(Buffer.from('not a model at all')), { instanceOf: UnreadableModel })
})

test('a local or configured sentence model or a provider takes precedence over the bundled model', async t => {
  const modelsDir = temporaryFolder(t)
  const provider = (settings: object) =>
    openEmbedder(t, { settings: { ...settings }, modelsDir }).status().provider
  t.is(provider({}), 'static')
  t.is(provider({ model: 'Xenova/gte-small' }), 'local')
  t.is(provider({ modelPath: '/models/mine' }), 'local')
  t.is(provider({ provider: 'ollama' }), 'ollama')
  for (const file of [
    'config.json',
    'tokenizer.json',
    'tokenizer_config.json',
    'onnx/model_quantized.onnx',
  ]) {
    const path = join(modelsDir, 'Xenova', 'all-MiniLM-L6-v2', file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '')
  }
  t.is(provider({}), 'local')
  t.is(provider({ provider: 'static' }), 'static')
})
