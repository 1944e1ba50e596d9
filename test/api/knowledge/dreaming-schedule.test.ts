import { writeFileSync } from 'node:fs'
import test from 'ava'
import { stringify } from 'yaml'
import { createDreamingWorker } from '../../../src/daemon/knowledge/dreaming/schedule/dreaming-worker.js'
import { createTraffic } from '../../../src/lib/concurrency/in-flight.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { factsOf, passOf, runDreamPass } from '../../helpers/dreaming.js'
import { importOne } from '../../helpers/imports.js'
import { manualTime } from '../../helpers/manual-time.js'
import { openRaw } from '../../helpers/store.js'

const hourMs = 3_600_000
const byRulesMs = 300_000

const statusOf = async ({ call }: TestDaemon) => (await call('GET /api/dream/status')).body

/** Edits memory.pipelineV2 in agent.yaml and waits until the daemon applies it. */
async function setMode(daemon: TestDaemon, pipelineV2: object, mode: string): Promise<void> {
  writeFileSync(daemon.paths.settings, stringify({ embedding: { provider: 'none' }, memory: { pipelineV2 } }))
  await until(async () => (await statusOf(daemon)).mode === mode)
}

test('texts read in shadow mode are read again once the mode ends (knowledge.md#modes)', async t => {
  const daemon = await startDaemon(t, { settings: { memory: { pipelineV2: { shadowMode: true } } } })
  await daemon.remember('The default branch is develop', { project: 'shop' })
  const reviewAfter = new Date(Date.now() - 1000).toISOString()
  await daemon.remember('the trial of Acme ends soon', { reviewAfter })
  t.is((await runDreamPass(daemon)).counts.pieces, 2)
  t.is((await runDreamPass(daemon)).counts.pieces, undefined, 'shadow mode reads nothing twice either')
  t.is((await daemon.call('GET /api/ontology/proposals')).body.count, 0)
  await setMode(daemon, {}, 'controlled-write')
  t.is((await runDreamPass(daemon)).counts.pieces, 2)
  t.deepEqual(await factsOf(daemon, 'shop'), ['facts default branch = develop'])
  const { body } = await daemon.call('GET /api/ontology/proposals')
  t.deepEqual(
    body.proposals.map(({ operation, status }) => `${operation} ${status}`),
    ['forget_memory pending'],
  )
})

test('a pass waits while a hook request is running (knowledge.md#dreaming)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('The default branch is develop', { project: 'shop' })
  const { hooksInFlight } = daemon.daemon
  const { enter } = hooksInFlight
  const held: (() => void)[] = []
  hooksInFlight.enter = () => {
    const leave = enter()
    return () => void held.push(leave)
  }
  await daemon.call('POST /api/hooks/user-prompt-submit', {
    body: { harness: 'test', sessionKey: 's1', userMessage: 'hello' },
  })
  t.is(held.length, 1)
  const { body } = await daemon.call('POST /api/dream/trigger')
  await until(async () => (await statusOf(daemon)).running)
  await daemon.recall('branch')
  t.like((await statusOf(daemon)).passes[0], { outcome: 'running', counts: {} })
  t.is((await daemon.call('GET /api/ontology/entities')).body.count, 0)
  for (const leave of held) leave()
  t.like(await passOf(daemon, body.jobId as string), { outcome: 'completed', counts: { pieces: 1 } })
})

test('a pause ends a pass at its next step, and a later pass does the rest (knowledge.md#modes)', async t => {
  const daemon = await startDaemon(t)
  for (let number = 0; number < 10; number++)
    await daemon.remember(`We use Tool${number} for purpose${number}`, { project: 'shop' })
  const { hooksInFlight } = daemon.daemon
  const { quiet } = hooksInFlight
  const step = createTraffic()
  const goOn = step.enter()
  let askedSteps = 0
  hooksInFlight.quiet = signal => (++askedSteps >= 12 ? step.quiet(signal) : quiet(signal))
  const { body } = await daemon.call('POST /api/dream/trigger')
  await until(() => askedSteps === 12)
  const raw = openRaw(t, daemon.paths.database)
  const operations = raw.prepare('SELECT count(*) FROM ontology_operations').pluck()
  const before = operations.get() as number
  t.true(before > 0)
  await setMode(daemon, { paused: true }, 'paused')
  goOn()
  const stopped = await until(async () =>
    (await statusOf(daemon)).passes.find(({ outcome }) => outcome !== 'running'),
  )
  t.like(stopped, { outcome: 'stopped', outcomeCode: 'not_open' })
  t.is(operations.get(), before)
  await setMode(daemon, {}, 'controlled-write')
  t.is((await daemon.call('POST /api/dream/trigger')).body.jobId, body.jobId, 'it is the same job')
  t.is((await passOf(daemon, body.jobId as string)).outcome, 'completed')
  const links = raw.prepare("SELECT count(*) FROM ontology_operations WHERE operation = 'link'").pluck()
  t.is(links.get(), 10)
})

test('an attention that cannot be processed fails after five attempts (knowledge.md#attentions)', async t => {
  const time = manualTime()
  const daemon = await startDaemon(t, { clock: time.clock })
  const { newId, store, clock } = daemon.daemon
  await store.tables.attentions.add({
    id: newId(),
    agent_id: 'default',
    subject_kind: 'claim',
    subject: 'any',
    kind: 'contradiction',
    detail: null,
    created_at: clock().toISOString(),
  })
  store.tables.claims.standing = () => Promise.reject(new Error('it can’t be read'))
  const row = openRaw(t, daemon.paths.database).prepare('SELECT state, attempts FROM attentions')
  for (let attempts = 1; attempts <= 5; attempts++) {
    await runDreamPass(daemon)
    t.deepEqual(row.get(), { state: 'waiting', attempts })
    const waitMs = 60_000 * 2 ** (attempts - 1)
    time.advance(waitMs - 1)
    await runDreamPass(daemon)
    t.deepEqual(row.get(), { state: 'waiting', attempts }, 'not before it is due')
    time.advance(1)
  }
  t.is((await runDreamPass(daemon)).counts['attentions.failed'], 1)
  t.deepEqual(row.get(), { state: 'failed', attempts: 5 })
})

test('by rules a pass runs every five minutes if there is something new (knowledge.md#dreaming)', async t => {
  const time = manualTime()
  const begun = time.clock().getTime()
  const daemon = await startDaemon(t, { clock: time.clock })
  const { meta } = daemon.daemon.store.tables
  const lookedAt = (ms: number) =>
    until(async () => Date.parse((await meta.lastDone('dreaming')) ?? '') === ms)
  await lookedAt(begun)
  await daemon.remember('The default branch is develop', { project: 'shop' })
  const worker = createDreamingWorker(daemon.daemon, time.timers)
  t.teardown(() => worker.close())
  worker.start()
  time.advance(byRulesMs - 60_000)
  await daemon.recall('branch')
  time.advance(60_000)
  await lookedAt(begun + byRulesMs)
  time.advance(byRulesMs)
  await lookedAt(begun + 2 * byRulesMs)
  const { passes } = await statusOf(daemon)
  t.deepEqual(
    passes.map(({ startedAt, counts }) => ({ at: Date.parse(startedAt) - begun, pieces: counts.pieces })),
    [{ at: byRulesMs, pieces: 1 }],
  )
})

test('with a model the next pass comes an hour after the last (knowledge.md#dreaming)', async t => {
  const inference = { provider: 'ollama', baseUrl: 'http://127.0.0.1:9', model: 'any' }
  for (const [useProvider, expected] of [
    [true, hourMs],
    [false, byRulesMs],
  ] as const) {
    const daemon = await startDaemon(t, { settings: { inference, dreaming: { useProvider } } })
    const { lastAt, nextAt } = await until(async () => {
      const status = await statusOf(daemon)
      return status.lastAt === null ? undefined : status
    })
    t.is(Date.parse(nextAt ?? '') - Date.parse(lastAt ?? ''), expected)
  }
})

test('imported conversations are read before the next pass is due (knowledge.md#dreaming)', async t => {
  const time = manualTime()
  const daemon = await startDaemon(t, { clock: time.clock })
  const { meta, attentions } = daemon.daemon.store.tables
  await until(async () => (await meta.lastDone('dreaming')) !== undefined)
  await importOne(daemon, 'notes.md', '# Notes\n\nThe checkout service runs on Fastify.\n')
  await until(async () => (await attentions.due(time.clock().toISOString(), 1)).length > 0)
  const worker = createDreamingWorker(daemon.daemon, time.timers)
  t.teardown(() => worker.close())
  worker.start()
  const pass = await until(async () =>
    (await statusOf(daemon)).passes.find(({ outcome }) => outcome === 'completed'),
  )
  t.is(pass.counts.artifacts, 1)
  const { body } = await daemon.call('GET /api/ontology/entities/:id', { params: { id: 'checkout service' } })
  const [link] = body.links
  t.is(`${link?.relation} ${link?.entity.name}`, 'runs on Fastify')
  const spans = openRaw(t, daemon.paths.database)
    .prepare('SELECT source_kind FROM evidence_spans WHERE subject_id = ? AND quote = ?')
    .all(link?.id, 'The checkout service runs on Fastify')
  t.deepEqual(spans, [{ source_kind: 'artifact' }])
})
