import test from 'ava'
import { EmbeddingUnavailable } from '../../../../src/store/embedding/embedder.js'
import {
  createEmbedQueue,
  createQueryCache,
  type EmbedRequest,
} from '../../../../src/store/embedding/requests.js'
import { until } from '../../../helpers/embedding-fakes.js'

test('the cache drops the least recently used entry', t => {
  const cache = createQueryCache(2)
  cache.set('a', Float32Array.of(1))
  cache.set('b', Float32Array.of(2))
  t.deepEqual(cache.get('a'), Float32Array.of(1))
  cache.set('c', Float32Array.of(3))
  t.is(cache.get('b'), undefined)
  t.deepEqual(cache.get('a'), Float32Array.of(1))
  t.deepEqual(cache.get('c'), Float32Array.of(3))
})

test('changing a returned or stored vector does not change the cache', t => {
  const cache = createQueryCache(2)
  const vector = Float32Array.of(1)
  cache.set('a', vector)
  vector[0] = 5
  cache.get('a')!.fill(7)
  t.deepEqual(cache.get('a'), Float32Array.of(1))
})

interface Running {
  texts: readonly string[]
  signal: AbortSignal
  finish(): void
  fail(error: Error): void
}

function openQueue(options: Partial<Parameters<typeof createEmbedQueue>[0]> = {}) {
  const started: Running[] = []
  const slow: EmbedRequest[] = []
  const queue = createEmbedQueue({
    concurrency: { total: 1, background: 1 },
    batch: { maxTexts: 2, maxChars: 100 },
    maxWaiting: 3,
    run: (texts, signal) =>
      new Promise((resolve, reject) => {
        started.push({ texts, signal, finish: () => resolve(texts.map(vectorOf)), fail: reject })
      }),
    onSlow: request => slow.push(request),
    ...options,
  })
  const submit = (texts: string[], request: Partial<EmbedRequest> = {}) => {
    const vectors = queue.submit({ texts, deadlineMs: 100_000, background: false, ...request })
    // A call that a test leaves unanswered may reach its deadline and must not fail the process.
    vectors.catch(() => undefined)
    return vectors
  }
  return { queue, started, slow, submit }
}

function vectorOf(text: string): Float32Array {
  return Float32Array.of(text.length)
}

test('a query precedes earlier background work, even between its batches', async t => {
  const { started, submit } = openQueue()
  const background = submit(['a', 'b', 'c'], { background: true })
  const query = submit(['query'])
  t.deepEqual(started[0]?.texts, ['a', 'b'])
  started[0]?.finish()
  await until(() => started.length === 2)
  t.deepEqual(started[1]?.texts, ['query'])
  started[1]?.finish()
  t.deepEqual(await query, [Float32Array.of(5)])
  await until(() => started.length === 3)
  started[2]?.finish()
  t.is((await background).length, 3)
})

test('background work never takes the last place', t => {
  const { started, submit } = openQueue({ concurrency: { total: 2, background: 1 } })
  void submit(['a'], { background: true })
  void submit(['b'], { background: true })
  t.is(started.length, 1)
  void submit(['query'])
  t.deepEqual(started[1]?.texts, ['query'])
})

test('a batch contains as many texts as its character limit allows, and at least one', t => {
  const { started, submit } = openQueue({ batch: { maxTexts: 10, maxChars: 5 } })
  void submit(['123456789', 'a', 'b'])
  t.deepEqual(started[0]?.texts, ['123456789'])
})

test('a running request beyond its deadline is aborted and counted as slow', async t => {
  const { started, slow, submit } = openQueue()
  const error = await t.throwsAsync(submit(['a'], { deadlineMs: 10 }), { instanceOf: EmbeddingUnavailable })
  t.is(error.message, 'no vector within 10 ms')
  t.true(started[0]?.signal.aborted)
  t.is(slow.length, 1)
})

test('a waiting request beyond its deadline never starts and is not counted as slow', async t => {
  const { started, slow, submit } = openQueue()
  const first = submit(['a'])
  await t.throwsAsync(submit(['late'], { deadlineMs: 10 }), { instanceOf: EmbeddingUnavailable })
  started[0]?.finish()
  await first
  await new Promise(setImmediate)
  t.is(started.length, 1)
  t.is(slow.length, 0)
})

test('a cancelled caller removes its work', async t => {
  const { started, submit } = openQueue()
  const first = submit(['a'])
  const leaving = new AbortController()
  const second = submit(['b'], { signal: leaving.signal })
  leaving.abort(new Error('gone'))
  await t.throwsAsync(second, { message: 'gone' })
  await t.throwsAsync(submit(['c'], { signal: leaving.signal }), { message: 'gone' })
  started[0]?.finish()
  await first
  await new Promise(setImmediate)
  t.is(started.length, 1)
})

test('waiting requests are limited, separately for background work', async t => {
  const { submit } = openQueue()
  for (let count = 0; count < 4; count += 1) void submit(['a'])
  await t.throwsAsync(submit(['too many']), { message: /too many texts/ })
  for (let count = 0; count < 3; count += 1) void submit(['b'], { background: true })
  await t.throwsAsync(submit(['too many'], { background: true }), { message: /too many texts/ })
})

test('a failure reaches its caller, and the next request continues', async t => {
  const { started, submit } = openQueue()
  const first = submit(['a'])
  const second = submit(['b'])
  started[0]?.fail(new Error('broken'))
  await t.throwsAsync(first, { message: 'broken' })
  await until(() => started.length === 2)
  started[1]?.finish()
  t.is((await second).length, 1)
})

test('closing rejects running and waiting requests', async t => {
  const { queue, submit } = openQueue()
  const all = [submit(['a']), submit(['b']), submit(['c'], { background: true })]
  queue.close()
  const outcomes = await Promise.allSettled(all)
  t.true(outcomes.every(({ status }) => status === 'rejected'))
})
