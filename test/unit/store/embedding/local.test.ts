// runs: alone

import { cp, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test from 'ava'
import { EmbeddingUnavailable } from '../../../../src/store/embedding/embedder.js'
import { cosine, openEmbedder, tinyModelFolder, whenStatus } from '../../../helpers/embedding-fakes.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

const patient = { deadlineMs: 60_000 }
const crashingWorker = new URL('./crashing-worker.js', import.meta.url)

// Serial, because each test loads a model in a thread, which occupies all cores for a while.

test.serial('the local model returns unit vectors, equal for equal texts in any batch', async t => {
  const embedder = openEmbedder(t, { settings: { modelPath: tinyModelFolder } })
  const texts = [
    'We moved to Postgres',
    'a',
    'The cat sleeps on the sofa all day long',
    'ünïcödé 記憶 🧠',
    'b',
  ]
  const vectors = await embedder.embed(texts, { kind: 'document', ...patient })
  t.deepEqual(
    vectors.map(vector => vector?.length),
    [128, 128, 128, 128, 128],
  )
  for (const vector of vectors) t.true(Math.abs(Math.hypot(...vector!) - 1) < 1e-6)
  const [again] = await embedder.embed([texts[2]!], { kind: 'document', ...patient })
  t.deepEqual(again, vectors[2])
  t.like(embedder.status(), {
    provider: 'local',
    model: 'tiny-model',
    dimensions: 128,
    available: true,
    state: 'ready',
  })
})

test.serial('texts that share words or meaning are closer than others', async t => {
  const embedder = openEmbedder(t, { settings: { modelPath: tinyModelFolder } })
  const [car, vehicle, cake] = await embedder.embed(
    ['The car is in the garage', 'Which vehicle is parked?', 'Grandma bakes lemon cake'],
    { kind: 'document', ...patient },
  )
  t.true(cosine(car!, vehicle!) > cosine(car!, cake!) + 0.3)
})

test.serial('the configured prefixes are part of the embedded text', async t => {
  const settings = {
    modelPath: tinyModelFolder,
    queryPrefix: 'find zebra: ',
    documentPrefix: 'store walrus: ',
  }
  const prefixed = openEmbedder(t, { settings })
  const plain = openEmbedder(t, { settings: { modelPath: tinyModelFolder } })
  const [query] = await prefixed.embed(['green tea'], { kind: 'query', ...patient })
  const [document] = await prefixed.embed(['green tea'], { kind: 'document', ...patient })
  const [expectedQuery, expectedDocument] = await plain.embed(
    ['find zebra: green tea', 'store walrus: green tea'],
    { kind: 'document', ...patient },
  )
  t.deepEqual(query, expectedQuery)
  t.deepEqual(document, expectedDocument)
})

test.serial('a crash of the thread fails only its call, and the next call restarts it', async t => {
  const embedder = openEmbedder(t, { settings: { modelPath: tinyModelFolder }, workerUrl: crashingWorker })
  await t.throwsAsync(embedder.embed(['crash now'], { kind: 'document', ...patient }), {
    instanceOf: EmbeddingUnavailable,
    message: /thread ended \(code 7\)/,
  })
  const [vector] = await embedder.embed(['hello'], { kind: 'document', ...patient })
  t.is(vector?.length, 128)
})

test.serial('a deadline shorter than loading is respected, and loading continues', async t => {
  const embedder = openEmbedder(t, { settings: { modelPath: tinyModelFolder } })
  await t.throwsAsync(embedder.embed(['hello'], { kind: 'query', deadlineMs: 1 }), {
    instanceOf: EmbeddingUnavailable,
    message: 'no vector within 1 ms',
  })
  await whenStatus(embedder, ({ state }) => state === 'ready')
  t.is((await embedder.embed(['hello'], { kind: 'query', ...patient })).length, 1)
})

test.serial('warm loads the model without a text', async t => {
  const embedder = openEmbedder(t, { settings: { modelPath: tinyModelFolder } })
  embedder.warm()
  t.is(embedder.status().state, 'loading')
  const { dimensions } = await whenStatus(embedder, ({ dimensions }) => dimensions !== null)
  t.is(dimensions, 128)
})

test.serial('a model in the models folder is found by name, even in a folder with spaces', async t => {
  const modelsDir = temporaryFolder(t)
  await cp(tinyModelFolder, join(modelsDir, 'owner', 'tiny'), { recursive: true })
  const embedder = openEmbedder(t, { modelsDir, settings: { model: 'owner/tiny' } })
  const [vector] = await embedder.embed(['hello'], { kind: 'query', ...patient })
  t.is(vector?.length, 128)
  t.is(embedder.status().model, 'owner/tiny')
})

test.serial('invalid weights fail with a clear message', async t => {
  const folder = temporaryFolder(t)
  for (const file of [
    'config.json',
    'tokenizer.json',
    'tokenizer_config.json',
    'onnx/model_quantized.onnx',
  ]) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), '{}')
  }
  const embedder = openEmbedder(t, { settings: { modelPath: folder } })
  await t.throwsAsync(embedder.embed(['hello'], { kind: 'query', ...patient }), {
    instanceOf: EmbeddingUnavailable,
    message: /can't be loaded/,
  })
  t.like(embedder.status(), { state: 'failing', available: false })
})

test.serial('unexpected dimensions fail with a clear message', async t => {
  const embedder = openEmbedder(t, { settings: { modelPath: tinyModelFolder, dimensions: 384 } })
  await t.throwsAsync(embedder.embed(['hello'], { kind: 'query', ...patient }), {
    message: /128 dimensions where 384 are expected/,
  })
  t.is(embedder.status().state, 'failing')
})

test.serial('a missing model fails at once with advice', async t => {
  const embedder = openEmbedder(t, { settings: { modelPath: '/nowhere/model' } })
  const advice =
    /embedding\.modelPath "\/nowhere\/model" lacks config\.json; .*: run `memory embedding use PATH`/
  await t.throwsAsync(embedder.embed(['hello'], { kind: 'query', ...patient }), { message: advice })
  const status = embedder.status()
  t.like(status, { state: 'missing', available: false })
  t.regex(status.error ?? '', advice)
})

test.serial('closing fails waiting calls, and a closed embedder refuses', async t => {
  const embedder = openEmbedder(t, { settings: { modelPath: tinyModelFolder } })
  const pending = embedder.embed(['hello'], { kind: 'query', ...patient })
  await embedder.close()
  await t.throwsAsync(pending, { instanceOf: EmbeddingUnavailable })
  await t.throwsAsync(embedder.embed(['hello'], { kind: 'query', ...patient }), { message: /closed/ })
})
