import test, { type ExecutionContext } from 'ava'
import { embedJob, storeVector } from '../../src/daemon/embedding/embed-now.js'
import type { JobRow } from '../../src/store/tables/jobs.js'
import { startDaemon, type TestDaemon } from '../helpers/daemon.js'
import { until } from '../helpers/daemon-process.js'
import { type FakeHandler, openaiReply, sendJson, startHttpFake } from '../helpers/embedding-fakes.js'
import { openRaw } from '../helpers/store.js'

const dimensions = 26

const works: FakeHandler = (request, response) => sendJson(response, 200, openaiReply(request, dimensions))

async function providerSettings(t: ExecutionContext, handler = works) {
  const fake = await startHttpFake(t, handler)
  return {
    embedding: {
      provider: 'openai',
      model: 'letters',
      baseUrl: `${fake.url}/v1`,
      dimensions,
      deadlineMs: 10_000,
    },
  }
}

const queue = ({ daemon }: TestDaemon, memoryId: string, maxAttempts = 5) =>
  daemon.store.tables.jobs.enqueue(
    { id: daemon.newId(), kind: embedJob, memoryId, maxAttempts },
    daemon.clock().toISOString(),
  )

test('a job whose worker was killed is done by the next daemon, with its attempt counted (spec 1, 3.2)', async t => {
  const first = await startDaemon(t)
  const id = await first.remember('left behind')
  await queue(first, id)
  await first.daemon.store.tables.jobs.lease(embedJob, 1, first.daemon.clock().toISOString())
  await first.stop()
  const second = await startDaemon(t, {
    workspace: first.paths.root,
    settings: await providerSettings(t),
  })
  const raw = openRaw(t, second.paths.database)
  const job = () => raw.prepare('SELECT status, attempts FROM jobs WHERE memory_id = ?').get(id) as object
  await until(() => (job() as { status: string }).status === 'completed' || undefined)
  t.like(job(), { attempts: 2 })
  t.is((await second.call('GET /api/status')).body.index.vectors, 1)
})

test('a job of a memory that is gone by now is completed without it (spec 1, 3.2)', async t => {
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

test('one text that the provider refuses stops neither back-fill nor recall (spec 1, 3.2)', async t => {
  const first = await startDaemon(t)
  const bad = await first.remember('unwanted words')
  await queue(first, bad, 1)
  const good = await first.remember('welcome words')
  await queue(first, good)
  await first.stop()
  const settings = await providerSettings(t, (request, response) =>
    request.body.includes('unwanted')
      ? sendJson(response, 400, { error: { message: 'input refused: unwanted words' } })
      : works(request, response),
  )
  const second = await startDaemon(t, { workspace: first.paths.root, settings })
  const raw = openRaw(t, second.paths.database)
  const job = (id: string) => raw.prepare('SELECT * FROM jobs WHERE memory_id = ?').get(id) as JobRow
  await until(() => (job(bad).status === 'dead' && job(good).status === 'completed') || undefined)
  t.regex(job(bad).last_error ?? '', /answered 400$/)
  t.is((await second.call('GET /api/status')).body.index.vectors, 1)
  const { body } = await second.call('POST /api/memory/recall', { body: { query: 'welcome' } })
  t.is(body.method, 'hybrid')
})

test('a provider that refuses every text costs no job its attempts', async t => {
  const first = await startDaemon(t)
  const id = await first.remember('welcome words')
  await queue(first, id, 1)
  await first.stop()
  const asked = { times: 0 }
  const settings = await providerSettings(t, (_, response) => {
    asked.times++
    sendJson(response, 422, { error: 'no such option' })
  })
  const second = await startDaemon(t, { workspace: first.paths.root, settings })
  const raw = openRaw(t, second.paths.database)
  const job = () => raw.prepare('SELECT * FROM jobs WHERE memory_id = ?').get(id) as JobRow
  await until(() => (asked.times > 1 && job().status === 'pending') || undefined)
  t.is(job().attempts, 0)
  const { body } = await second.call('POST /api/memory/recall', { body: { query: 'welcome' } })
  t.is(body.method, 'keyword')
  t.regex(String(body.meta.embedding), /answered 422$/)
})

test('a vector of a text that was changed meanwhile is not stored', async t => {
  const { daemon, remember } = await startDaemon(t)
  const id = await remember('what it says now')
  t.false(await storeVector(daemon, { id, content: 'what it said' }, Float32Array.of(1, 0)))
  t.is((await daemon.store.tables.vectors.of([id], daemon.embedder().status())).size, 0)
  t.true(await storeVector(daemon, { id, content: 'what it says now' }, Float32Array.of(1, 0)))
})
