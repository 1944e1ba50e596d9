import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { build } from 'esbuild'
import { EmbeddingUnavailable } from '../../../../src/store/embedding/embedder.js'
import {
  type FakeHandler,
  manualClock,
  openaiReply,
  openEmbedder,
  sendJson,
  startHttpFake,
  until,
  whenStatus,
} from '../../../helpers/embedding-fakes.js'

const save = { kind: 'document', deadlineMs: 30 } as const
const patient = { kind: 'document', deadlineMs: 100_000 } as const

/** A provider whose behaviour the test can switch. */
async function openSwitchable(t: ExecutionContext, settings = {}) {
  const behaviours = {
    works: (request, response) => sendJson(response, 200, openaiReply(request, 8)),
    breaks: (_, response) => sendJson(response, 500, {}),
    hangs: () => undefined,
  } satisfies Record<string, FakeHandler>
  const now: { does: keyof typeof behaviours } = { does: 'works' }
  const server = await startHttpFake(t, (request, response) => behaviours[now.does](request, response))
  const { clock, advance } = manualClock()
  const embedder = openEmbedder(t, {
    clock,
    settings: { provider: 'openai', model: 'some-model', baseUrl: server.url, ...settings },
  })
  return { server, embedder, advance, now }
}

test('without a provider embedding is off and refuses at once', async t => {
  const embedder = openEmbedder(t, { settings: { provider: 'none' } })
  t.like(embedder.status(), { provider: 'none', state: 'off', available: false, dimensions: null })
  await t.throwsAsync(embedder.embed(['text'], patient), { instanceOf: EmbeddingUnavailable })
})

test('a failing provider is paused, then tried once, then used again', async t => {
  const { server, embedder, advance, now } = await openSwitchable(t)
  now.does = 'breaks'
  for (let count = 0; count < 3; count += 1) await t.throwsAsync(embedder.embed(['text'], patient))
  t.like(embedder.status(), { state: 'failing', available: false })
  t.regex(embedder.status().error ?? '', /answered 500/)

  const asked = server.requests.length
  for (let count = 0; count < 20; count += 1) {
    await t.throwsAsync(embedder.embed(['text'], patient), {
      instanceOf: EmbeddingUnavailable,
      message: /answered 500/,
    })
  }
  t.is(server.requests.length, asked)

  now.does = 'works'
  advance(1_000)
  await t.throwsAsync(embedder.embed(['text'], patient), { instanceOf: EmbeddingUnavailable })
  await whenStatus(embedder, ({ state }) => state === 'ready')
  t.is(server.requests.length, asked + 1)
  t.is((await embedder.embed(['text'], patient)).length, 1)
  t.is(embedder.status().error, undefined)
})

test('a failed probe doubles the pause', async t => {
  const { server, embedder, advance, now } = await openSwitchable(t)
  now.does = 'breaks'
  for (let count = 0; count < 3; count += 1) await t.throwsAsync(embedder.embed(['text'], patient))
  advance(1_000)
  const checkedAt = embedder.status().checkedAt
  embedder.warm()
  await whenStatus(embedder, status => status.checkedAt !== checkedAt)
  const asked = server.requests.length
  advance(1_999)
  await t.throwsAsync(embedder.embed(['text'], patient))
  t.is(server.requests.length, asked)
  advance(1)
  now.does = 'works'
  embedder.warm()
  await whenStatus(embedder, ({ state }) => state === 'ready')
  t.is(server.requests.length, asked + 1)
})

test('a provider that never answered delays only one save to its deadline', async t => {
  const { server, embedder, now } = await openSwitchable(t)
  now.does = 'hangs'
  await t.throwsAsync(embedder.embed(['text'], save), { message: 'no vector within 30 ms' })
  t.is(embedder.status().state, 'failing')
  for (let count = 0; count < 20; count += 1)
    await t.throwsAsync(embedder.embed(['text'], save), { message: 'the provider takes longer than 30 ms' })
  // On a busy machine the deadline may pass before the request is sent.
  t.true(server.requests.length <= 1)
})

test('a provider that hangs after success delays only three saves to their deadline', async t => {
  const { server, embedder, now } = await openSwitchable(t)
  await embedder.embed(['text'], patient)
  now.does = 'hangs'
  for (let count = 0; count < 3; count += 1) {
    await t.throwsAsync(embedder.embed(['text'], save), { message: 'no vector within 30 ms' })
  }
  t.is(embedder.status().state, 'failing')
  const asked = server.requests.length
  for (let count = 0; count < 100; count += 1) {
    await t.throwsAsync(embedder.embed(['text'], save), { message: 'the provider takes longer than 30 ms' })
  }
  t.is(server.requests.length, asked)
})

test('a provider too slow for saves still serves background work and patient callers', async t => {
  const { embedder, now } = await openSwitchable(t)
  now.does = 'hangs'
  for (let count = 0; count < 3; count += 1) await t.throwsAsync(embedder.embed(['text'], save))
  now.does = 'works'
  t.is((await embedder.embed(['text'], { kind: 'document', background: true })).length, 1)
  t.is((await embedder.embed(['text'], patient)).length, 1)
  await t.throwsAsync(embedder.embed(['text'], save), { message: 'the provider takes longer than 30 ms' })
  t.is(embedder.status().state, 'ready')
})

test('a cancelled call does not count against the provider', async t => {
  const { server, embedder, now } = await openSwitchable(t)
  now.does = 'hangs'
  for (let count = 0; count < 5; count += 1) {
    const leaving = new AbortController()
    const call = embedder.embed(['text'], { ...patient, signal: leaving.signal })
    await until(() => server.requests.length === count + 1)
    leaving.abort(new Error('gone'))
    await t.throwsAsync(call, { message: 'gone' })
  }
  now.does = 'works'
  t.is((await embedder.embed(['text'], patient)).length, 1)
})

test('warm sends one request and reports its result', async t => {
  const { server, embedder, now } = await openSwitchable(t)
  now.does = 'breaks'
  const states: string[] = []
  const unsubscribe = embedder.onChange(({ state }) => states.push(state))
  embedder.warm()
  embedder.warm()
  await whenStatus(embedder, ({ state }) => state === 'failing')
  t.deepEqual(states, ['loading', 'failing'])
  t.is(server.requests.length, 1)
  unsubscribe()
})

test('recent queries are answered from the cache, even while the provider fails', async t => {
  const { server, embedder, now } = await openSwitchable(t)
  const query = { kind: 'query', deadlineMs: 100_000 } as const
  const [first] = await embedder.embed(['where do I live'], query)
  first?.fill(0)
  now.does = 'breaks'
  const [again] = await embedder.embed(['where do I live'], query)
  t.is(server.requests.length, 1)
  t.true(Math.abs(Math.hypot(...again!) - 1) < 1e-6)
  await t.throwsAsync(embedder.embed(['something else'], query))
})

test('a query repeated within a call is embedded once', async t => {
  const { server, embedder } = await openSwitchable(t)
  const vectors = await embedder.embed(['a', 'b', 'a'], { kind: 'query', deadlineMs: 100_000 })
  t.deepEqual(vectors[0], vectors[2])
  t.deepEqual(JSON.parse(server.requests[0]?.body ?? '').input, ['a', 'b'])
})

test('a known model uses the prefixes of its training', async t => {
  const { server, embedder } = await openSwitchable(t, { model: 'nomic-embed-text:v1.5', dimensions: 8 })
  await embedder.embed(['tea'], { kind: 'query', deadlineMs: 100_000 })
  await embedder.embed(['tea'], patient)
  const sent = server.requests.flatMap(({ body }) => JSON.parse(body).input)
  t.deepEqual(sent, ['search_query: tea', 'search_document: tea'])
})

test('long text is cut, but never inside a character', async t => {
  const { server, embedder } = await openSwitchable(t)
  await embedder.embed([`${'a'.repeat(5_999)}🧠 and more`], patient)
  t.is(JSON.parse(server.requests[0]?.body ?? '').input[0], 'a'.repeat(5_999))
})

test('an empty list needs no provider', async t => {
  const { server, embedder } = await openSwitchable(t)
  t.deepEqual(await embedder.embed([], patient), [])
  t.is(server.requests.length, 0)
})

test('importing the embedder loads neither the model runtime nor undici', async t => {
  const entry = fileURLToPath(new URL('../../../../src/store/embedding/create-embedder.ts', import.meta.url))
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  const external = Object.values(metafile.outputs).flatMap(({ imports }) => imports)
  const packages = external.filter(({ path }) => !path.startsWith('node:'))
  t.deepEqual(
    packages.map(({ path, kind }) => [path, kind]),
    [['undici', 'dynamic-import']],
  )
})
