import { writeFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { stringify } from 'yaml'
import { embedJob, embedNow, storeVector } from '../../../src/daemon/ground/embedding/embed-now.js'
import { newJob } from '../../../src/daemon/ground/jobs/job-kind.js'
import type { JobRow } from '../../../src/store/tables/platform/jobs.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { type FakeHandler, openaiReply, sendJson, startHttpFake } from '../../helpers/embedding-fakes.js'
import { openRaw, storeLike } from '../../helpers/store.js'

const dimensions = 26

const works: FakeHandler = (request, response) => sendJson(response, 200, openaiReply(request, dimensions))

/** A provider that refuses texts with a certain word. */
const picky: FakeHandler = (request, response) =>
  request.body.includes('unwanted')
    ? sendJson(response, 400, { error: { message: 'input refused: unwanted words' } })
    : works(request, response)

async function providerSettings(t: ExecutionContext, handler = works) {
  const fake = await startHttpFake(t, handler)
  return {
    embedding: {
      provider: 'openai',
      model: 'letters',
      baseUrl: `${fake.url}/v1`,
      dimensions,
      deadlineMs: 60_000,
    },
  }
}

const queue = ({ daemon }: Pick<TestDaemon, 'daemon'>, memoryId: string, maxAttempts = 5) =>
  daemon.store.tables.jobs.enqueue(
    newJob(daemon, { ...embedJob, maxAttempts }, memoryId),
    daemon.clock().toISOString(),
  )

test('the next daemon finishes a job whose worker was killed, and counts its attempt (rules.md 3.2)', async t => {
  const first = await startDaemon(t)
  const id = await first.remember('left behind')
  await queue(first, id)
  await first.daemon.store.tables.jobs.lease(embedJob.kind, 1, first.daemon.clock().toISOString())
  await first.stop()
  const second = await startDaemon(t, {
    workspace: first.paths.root,
    settings: await providerSettings(t),
  })
  const raw = openRaw(t, second.paths.database)
  const job = () => raw.prepare('SELECT status, attempts FROM jobs WHERE subject = ?').get(id) as object
  await until(() => (job() as { status: string }).status === 'completed' || undefined)
  t.like(job(), { attempts: 2 })
  t.is((await second.call('GET /api/status')).body.index.vectors, 1)
})

test('a job for a deleted memory completes without it (rules.md 3.2)', async t => {
  const first = await startDaemon(t)
  const id = await first.remember('gone by then')
  await queue(first, id)
  await first.call('DELETE /api/memory/:id', { params: { id }, query: { reason: 'test' } })
  await first.stop()
  const second = await startDaemon(t, {
    workspace: first.paths.root,
    settings: await providerSettings(t),
  })
  const raw = openRaw(t, second.paths.database)
  await until(() => raw.prepare("SELECT 1 FROM jobs WHERE status = 'completed'").get() as object | undefined)
  t.is((await second.call('GET /api/status')).body.index.vectors, 0)
})

test('one text that the provider refuses stops neither back-fill nor recall (rules.md 3.2)', async t => {
  const first = await startDaemon(t)
  const bad = await first.remember('unwanted words')
  await queue(first, bad, 1)
  const good = await first.remember('welcome words')
  await queue(first, good)
  await first.stop()
  const settings = await providerSettings(t, picky)
  const second = await startDaemon(t, { workspace: first.paths.root, settings })
  const raw = openRaw(t, second.paths.database)
  const job = (id: string) => raw.prepare('SELECT * FROM jobs WHERE subject = ?').get(id) as JobRow
  await until(() => (job(bad).status === 'dead' && job(good).status === 'completed') || undefined)
  t.regex(job(bad).last_error ?? '', /answered 400$/)
  t.is((await second.call('GET /api/status')).body.index.vectors, 1)
  const { body } = await second.call('POST /api/memory/recall', { body: { query: 'welcome' } })
  t.is(body.method, 'hybrid')
})

test('when a provider refuses every text, jobs lose no attempts', async t => {
  const first = await startDaemon(t)
  const id = await first.remember('welcome words')
  await queue(first, id, 1)
  await first.stop()
  let askedTimes = 0
  const settings = await providerSettings(t, (_, response) => {
    askedTimes++
    sendJson(response, 422, { error: 'no such option' })
  })
  const second = await startDaemon(t, { workspace: first.paths.root, settings })
  const raw = openRaw(t, second.paths.database)
  const job = () => raw.prepare('SELECT * FROM jobs WHERE subject = ?').get(id) as JobRow
  await until(() => (askedTimes > 1 && job().status === 'pending') || undefined)
  t.is(job().attempts, 0)
  const { body } = await second.call('POST /api/memory/recall', { body: { query: 'welcome' } })
  t.is(body.method, 'keyword')
  t.regex(String(body.meta.embedding), /answered 422$/)
})

test('texts that one model could not embed are tried again with another (rules.md 3.2)', async t => {
  const first = await startDaemon(t)
  const id = await first.remember('unwanted words')
  await queue(first, id, 1)
  await first.stop()
  const workspace = first.paths.root
  let handler = picky
  const { embedding } = await providerSettings(t, (request, response) => handler(request, response))
  const second = await startDaemon(t, { workspace, settings: { embedding } })
  const raw = openRaw(t, second.paths.database)
  const job = () => raw.prepare('SELECT * FROM jobs WHERE subject = ?').get(id) as JobRow
  await until(() => job().status === 'dead' || undefined)
  await second.stop()
  handler = works
  const third = await startDaemon(t, { workspace, settings: { embedding } })
  const other = await third.remember('welcome words')
  await until(
    async () =>
      (await third.call('GET /api/memory/:id', { params: { id: other } })).body.embedding_model ?? undefined,
  )
  t.is(job().status, 'dead')
  await third.stop()
  await startDaemon(t, { workspace, settings: { embedding: { ...embedding, model: 'letters-2' } } })
  await until(() => job().status === 'completed' || undefined)
  t.is(job().attempts, 1)
})

test('a save succeeds even if its embed job cannot be queued (rules.md 0.2)', async t => {
  const { daemon, remember } = await startDaemon(t, { settings: await providerSettings(t, picky) })
  const id = await remember('welcome words')
  const enqueue = () => Promise.reject(new Error('disk full'))
  const jobs = { value: { ...daemon.store.tables.jobs, enqueue } }
  const tables = Object.create(daemon.store.tables, { jobs })
  const deps = { ...daemon, store: { ...daemon.store, tables } }
  t.false(await embedNow(deps, { id, content: 'unwanted words' }))
})

test('no vectors are made while mutations are frozen, and back-fill continues afterwards (rules.md#kill-switch)', async t => {
  const first = await startDaemon(t)
  const id = await first.remember('welcome words')
  await first.stop()
  let askedTimes = 0
  const settings = await providerSettings(t, (request, response) => {
    askedTimes++
    works(request, response)
  })
  const frozen = { ...settings, memory: { pipelineV2: { mutationsFrozen: true } } }
  const second = await startDaemon(t, { workspace: first.paths.root, settings: frozen })
  const raw = openRaw(t, second.paths.database)
  const before = raw.prepare('SELECT id, change, embedding_model FROM memories').all()
  second.daemon.wake(embedJob)
  const { body } = await second.call('POST /api/memory/recall', { body: { query: 'welcome' } })
  t.is(body.results.length, 1)
  // Only the query was sent.
  t.is(askedTimes, 1)
  t.is(raw.prepare('SELECT 1 FROM jobs').all().length, 0)
  t.deepEqual(raw.prepare('SELECT id, change, embedding_model FROM memories').all(), before)
  writeFileSync(second.paths.settings, stringify(settings))
  await until(
    () => raw.prepare('SELECT 1 FROM memory_vectors WHERE memory_id = ?').get(id) as object | undefined,
  )
  t.is((await second.call('GET /api/status')).body.index.vectors, 1)
})

test('memories without a vector are found newest first, page by page', async t => {
  const { daemon, remember } = await startDaemon(t)
  const like = await remember('pattern')
  const day = (n: number) => `2020-01-0${n}T00:00:00.000Z`
  const ids = await storeLike(
    daemon,
    like,
    [1, 2, 3, 4, 5].map(n => ({ created_at: day(n) })),
  )
  const [one, two, three, four, five] = ids as [string, string, string, string, string]
  const { vectors } = daemon.store.tables
  const model = { provider: 'openai', model: 'letters' }
  await vectors.put([{ ...model, memoryId: four, vector: Float32Array.of(1) }], day(1))
  await queue({ daemon }, two)
  const page = await vectors.memoriesToEmbed(model, embedJob.kind, 3)
  t.deepEqual(page, { ids: [like, five], next: { createdAt: day(4), id: four } })
  const rest = await vectors.memoriesToEmbed(model, embedJob.kind, 4, page.next)
  t.deepEqual(rest, { ids: [three, one], next: undefined })
})

test('if every memory has a vector or a job, they are not scanned one by one', async t => {
  const { daemon, remember } = await startDaemon(t)
  const [a, b] = [await remember('one'), await remember('two')]
  const { vectors } = daemon.store.tables
  const model = { provider: 'openai', model: 'letters' }
  const now = daemon.clock().toISOString()
  await vectors.put([{ ...model, memoryId: a, vector: Float32Array.of(1) }], now)
  t.true(await vectors.mayHaveGaps(model, embedJob.kind))
  await queue({ daemon }, b)
  t.false(await vectors.mayHaveGaps(model, embedJob.kind))
  t.true(await vectors.mayHaveGaps({ ...model, model: 'letters-2' }, embedJob.kind))
})

test('a vector of outdated text or of a replaced model is not stored', async t => {
  const { daemon, remember } = await startDaemon(t)
  const id = await remember('what it says now')
  const model = daemon.embedder().status()
  const vector = Float32Array.of(1, 0)
  t.false(await storeVector(daemon, model, { id, content: 'what it said', vector }))
  t.false(
    await storeVector(daemon, { ...model, model: 'another' }, { id, content: 'what it says now', vector }),
  )
  t.is((await daemon.store.tables.vectors.of([id], model)).size, 0)
  t.true(await storeVector(daemon, model, { id, content: 'what it says now', vector }))
})
