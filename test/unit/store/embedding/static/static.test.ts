import test from 'ava'
import { EmbeddingUnavailable } from '../../../../../src/store/embedding/embedder.js'
import {
  decodeModel,
  encodeModel,
  UnreadableModel,
} from '../../../../../src/store/embedding/static/model-file.js'
import { cosine, openEmbedder } from '../../../../helpers/embedding-fakes.js'
import { smallModel, smallModelFile } from '../../../../helpers/static-model.js'

const openStatic: typeof openEmbedder = (t, options) =>
  openEmbedder(t, { settings: { provider: 'static' }, ...options })

const patient = { kind: 'document', deadlineMs: 10_000 } as const

test('the word model returns unit vectors, close for similar meanings', async t => {
  const embedder = openStatic(t, {
    staticFile: await smallModelFile(t),
  })
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
  const embedder = openStatic(t, {
    staticFile: await smallModelFile(t),
  })
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
    const embedder = openStatic(t, {
      staticFile: await smallModelFile(t, content),
    })
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

test('a named model or a provider takes precedence over the packaged models', t => {
  const status = (settings: object) => openEmbedder(t, { settings: { ...settings } }).status()
  t.like(status({}), { provider: 'local', model: 'all-MiniLM-L6-v2', dimensions: 384, state: 'ready' })
  t.is(status({ model: 'Xenova/gte-small' }).model, 'Xenova/gte-small')
  t.is(status({ modelPath: '/models/mine' }).model, 'mine')
  t.is(status({ provider: 'ollama' }).provider, 'ollama')
  t.is(status({ provider: 'static' }).provider, 'static')
})
