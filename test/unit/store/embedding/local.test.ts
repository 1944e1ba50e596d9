// runs: alone

// runs: alone

import { cp, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test from 'ava'
import type { WeightFormat } from '../../../../src/lib/workspace/model-folder.js'
import { EmbeddingUnavailable } from '../../../../src/store/embedding/embedder.js'
import {
  createLocalWorker,
  defaultWorkerUrl,
  type LocalWorkerOptions,
} from '../../../../src/store/embedding/local.js'
import { ProviderError } from '../../../../src/store/embedding/provider.js'
import { cosine, openEmbedder, tinyModelFolder, until, whenStatus } from '../../../helpers/embedding-fakes.js'
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
    message: /thread exited \(code 7\)/,
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
    message: /128 dimensions instead of 384/,
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

const hangingWorker = new URL('./hanging-worker.js', import.meta.url)

function options(given: Partial<LocalWorkerOptions> = {}): LocalWorkerOptions {
  return {
    setup: { folder: tinyModelFolder, format: 'q8', pooling: 'mean', runtimeDir: 'none' },
    url: defaultWorkerUrl(),
    idleUnloadMs: 60_000,
    onChange: () => undefined,
    ...given,
  }
}

test.serial(
  'the thread starts with the first call, ends when idle and restarts with the next call',
  async t => {
    const states: string[] = []
    const worker = createLocalWorker(
      options({ idleUnloadMs: 1, onChange: () => states.push(worker.state()) }),
    )
    t.is(worker.state(), 'unloaded')
    const [first] = await worker.embed(['hello'])
    await until(() => worker.state() === 'unloaded')
    t.deepEqual(states, ['loading', 'loaded', 'unloaded'])
    const [second] = await worker.embed(['hello'])
    t.deepEqual(first, second)
    await worker.close()
    t.is(worker.state(), 'unloaded')
  },
)

test.serial('concurrent calls get their own answers', async t => {
  const worker = createLocalWorker(options())
  const [together, alone] = await Promise.all([worker.embed(['hello', 'world']), worker.embed(['world'])])
  t.deepEqual(together[1], alone[0])
  t.notDeepEqual(together[0], alone[0])
  await worker.close()
})

test.serial(
  'a model that does not answer in time is terminated, and the next call gets a new thread',
  async t => {
    const worker = createLocalWorker(options({ url: hangingWorker, callTimeoutMs: 20 }))
    const failure = { instanceOf: ProviderError, message: 'the model did not answer within 20 ms' }
    await t.throwsAsync(worker.embed(['hello']), failure)
    t.is(worker.state(), 'unloaded')
    await t.throwsAsync(worker.embed(['hello']), failure)
  },
)

test.serial('a model that does not load in time is terminated', async t => {
  const setup = { ...options().setup, format: 'never loads' as WeightFormat }
  const worker = createLocalWorker(options({ url: hangingWorker, setup, loadTimeoutMs: 300 }))
  const call = worker.embed(['hello'])
  const keepAlive = setTimeout(() => undefined, 60_000)
  await t.throwsAsync(call, { message: 'the model did not load within 300 ms' })
  clearTimeout(keepAlive)
})

test.serial('a thread that cannot start fails its call', async t => {
  const worker = createLocalWorker(options({ url: new URL('./no-such-worker.js', import.meta.url) }))
  await t.throwsAsync(worker.embed(['hello']), { instanceOf: ProviderError, message: /thread crashed/ })
})
