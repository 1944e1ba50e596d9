import test, { type ExecutionContext } from 'ava'
import { toEntry } from '../../../src/daemon/ground/index/memory-entries.js'
import { startDaemon, type TestDaemonOptions } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { openaiReply, sendJson, startHttpFake } from '../../helpers/embedding-fakes.js'
import { putEmbedJobs } from '../../helpers/planted-damage.js'
import { openRaw, storeLike } from '../../helpers/store.js'

const dimensions = 8
/** The longest allowed run, for busy machines. */
const runBudgetMs = 60_000

/** Starts a daemon whose back-fill failed for every memory, and a provider that can answer later. */
async function startWithFailedEmbeds(t: ExecutionContext, count: number, options: TestDaemonOptions = {}) {
  const answers = { refuses: '', isDown: false, hangs: false }
  const provider = await startHttpFake(t, (request, response) => {
    if (answers.hangs) return
    if (answers.isDown) return sendJson(response, 503, { error: { message: 'down' } })
    if (answers.refuses && request.body.includes(answers.refuses))
      return sendJson(response, 400, { error: { message: 'this text is not taken' } })
    sendJson(response, 200, openaiReply(request, dimensions))
  })
  const settings = {
    embedding: {
      provider: 'openai',
      model: 'm',
      baseUrl: `${provider.url}/v1`,
      dimensions,
      deadlineMs: 60_000,
    },
    repair: { cooldownMs: 0 },
    ...options.settings,
  }
  const daemon = await startDaemon(t, { ...options, settings })
  for (let n = 0; n < count; n++) await daemon.remember(`memory number ${n}`)
  const raw = openRaw(t, daemon.paths.database)
  await until(() => raw.prepare('SELECT count(*) FROM memory_vectors').pluck().get() === count || undefined)
  const giveUp = (ids: readonly string[]) => putEmbedJobs(raw, ids)
  const ids = raw.prepare('SELECT id FROM memories ORDER BY id').pluck().all() as string[]
  return { daemon, raw, answers, provider, ids, giveUp, settings }
}

test('memories with a missing or damaged vector get one, in batches that can be resumed (operations.md 5.3)', async t => {
  const { daemon, raw, ids, giveUp, settings } = await startWithFailedEmbeds(t, 7)
  giveUp(ids)
  const [one, two, three, four] = ids
  const drop = raw.prepare('DELETE FROM memory_vectors WHERE memory_id = ?')
  for (const id of [one, two, three]) drop.run(id)
  // One vector contains NaN at the right length, the other is truncated.
  raw
    .prepare('UPDATE memory_vectors SET vector = ? WHERE memory_id = ?')
    .run(Buffer.alloc(dimensions * 4, 0xff), four)
  raw.prepare("UPDATE memory_vectors SET vector = x'00' WHERE memory_id = ?").run(ids[4])
  const gaps = await daemon.call('GET /api/repair/embedding-gaps')
  t.like(gaps.body, { unembedded: 3, total: 7, coverage: 4 / 7 })
  const dry = await daemon.call('POST /api/repair/re-embed', { body: { dryRun: true, batchSize: 2 } })
  t.like(dry.body, { affected: 5, details: { remaining: 5, batches: 3 } })
  const { body: first } = await daemon.call('POST /api/repair/re-embed', {
    body: { batchSize: 2, runBudgetMs },
  })
  t.like(first, { action: 'reembedMissingMemories', success: true, affected: 2 })
  t.like(first.details, { status: 'running', remaining: 1, batches: 1 })
  // A restart keeps the progress.
  await daemon.stop()
  const again = await startDaemon(t, { workspace: daemon.paths.root, settings })
  const operationId = String(first.details?.operationId)
  const { body: rest } = await again.call('POST /api/repair/re-embed', {
    body: { operationId, fullSweep: true, runBudgetMs },
  })
  t.like(rest, { success: true, affected: 3 })
  t.like(rest.details, { operationId, status: 'complete', remaining: 0 })
  t.like((await again.call('GET /api/repair/embedding-gaps')).body, { unembedded: 0, coverage: 1 })
  t.is(raw.prepare("SELECT count(*) FROM jobs WHERE status = 'dead'").pluck().get(), 2)
  t.is((await again.call('POST /api/repair/re-embed', { body: { dryRun: true } })).body.affected, 0)
  t.like((await again.call('POST /api/repair/check-fts')).body, { success: true, affected: 0 })
  t.is((await again.call('POST /api/repair/re-embed', { body: { operationId: 'x' } })).status, 404)
})

test('a refused text blocks no other; after an outage, a budget or a pause the repair can be resumed (operations.md 5.3)', async t => {
  const { daemon, raw, answers, ids, giveUp } = await startWithFailedEmbeds(t, 4)
  giveUp(ids)
  raw.prepare('DELETE FROM memory_vectors').run()
  answers.refuses = 'number 2'
  const { body } = await daemon.call('POST /api/repair/re-embed', { body: { runBudgetMs } })
  t.like(body, { success: true, affected: 3 })
  t.like(body.details, { status: 'complete', failed: 1, remaining: 1 })
  answers.refuses = ''
  answers.hangs = true
  const { body: late } = await daemon.call('POST /api/repair/re-embed', { body: { runBudgetMs: 50 } })
  t.like(late, { success: true, affected: 0, details: { status: 'running', reason: 'budget' } })
  const waiting = daemon.call('POST /api/repair/re-embed', { body: { runBudgetMs } })
  const second = await until(async () => {
    const reply = await daemon.call('POST /api/repair/re-embed', { body: {} })
    return reply.status === 409 ? reply : undefined
  })
  t.is(second.body.code, 'already_running')
  const { quiescence } = (await daemon.call('POST /api/pipeline/pause')).body
  t.deepEqual(quiescence, { activeAtStart: 1, aborted: 1, remaining: 0, timedOut: false })
  t.like((await waiting).body.details, { status: 'running', reason: 'paused' })
  t.is((await daemon.call('POST /api/repair/re-embed', { body: {} })).status, 409)
  daemon.daemon.changeSettings({ 'memory.pipelineV2.paused': null })
  answers.hangs = false
  answers.isDown = true
  const { body: down } = await daemon.call('POST /api/repair/re-embed', { body: { runBudgetMs } })
  t.like(down, { success: false, affected: 0 })
})

test('an exhausted byte budget and another agent’s text under a wrong hash are reported (operations.md 5.3)', async t => {
  const { daemon, raw, ids, giveUp } = await startWithFailedEmbeds(t, 2)
  giveUp(ids)
  raw.prepare('DELETE FROM memory_vectors').run()
  const { body: small } = await daemon.call('POST /api/repair/re-embed', { body: { maxVectorBytes: 31 } })
  t.like(small, { affected: 0, details: { status: 'running', reason: 'bytes' } })
  const { body: one } = await daemon.call('POST /api/repair/re-embed', {
    body: { maxVectorBytes: 32, runBudgetMs },
  })
  t.is(one.affected, 1)
  await storeLike(daemon.daemon, ids[0] ?? '', [{ agent_id: 'maya' }])
  const { body: conflict } = await daemon.call('POST /api/repair/re-embed', {
    body: { fullSweep: true, runBudgetMs },
  })
  t.like(conflict, { success: false, details: { status: 'failed' } })
  t.regex(conflict.message, /deduplicate first/)
})

test('vectors of another model are replaced one by one, and a dry run shows their counts (operations.md 5.3)', async t => {
  const { daemon, raw, ids } = await startWithFailedEmbeds(t, 3)
  const [one, two] = ids
  raw.prepare("UPDATE memory_vectors SET model = 'old' WHERE memory_id = ?").run(one)
  raw
    .prepare('UPDATE memory_vectors SET dimensions = 2, vector = ? WHERE memory_id = ?')
    .run(Buffer.alloc(8, 1), two)
  const { body: dry } = await daemon.call('POST /api/repair/re-embed-migration', { body: { dryRun: true } })
  t.like(dry, { affected: 2, totalMatching: 2 })
  t.like(dry.details, {
    target: { provider: 'openai', model: 'm', dimensions },
    estimatedBatches: 1,
    vectorIndexRebuildRequired: true,
  })
  t.deepEqual(
    ((dry.details?.sources ?? []) as { model: string; count: number }[]).map(({ model, count }) => [
      model,
      count,
    ]),
    [
      ['old', 1],
      ['m', 1],
    ],
  )
  const { body: other } = await daemon.call('POST /api/repair/re-embed-migration', {
    body: { agentId: 'maya', runBudgetMs },
  })
  t.like(other, { affected: 0, totalMatching: 0, details: { status: 'complete' } })
  const { body } = await daemon.call('POST /api/repair/re-embed-migration', {
    body: { batchSize: 50, runBudgetMs },
  })
  t.like(body, {
    success: true,
    affected: 2,
    totalMatching: 2,
    details: { status: 'complete', remaining: 0 },
  })
  t.deepEqual(raw.prepare('SELECT DISTINCT model, dimensions FROM memory_vectors').all(), [
    { model: 'm', dimensions },
  ])
  const { body: all } = await daemon.call('POST /api/repair/re-embed-migration', {
    body: { all: true, batchSize: 2, runBudgetMs },
  })
  t.like(all, { affected: 2, totalMatching: 3, details: { status: 'running', remaining: 1 } })
})

test('vectors missing from the index are added, and those too large for it are skipped (operations.md 5.3)', async t => {
  const { daemon, raw, ids } = await startWithFailedEmbeds(t, 6)
  const [one, two, three] = ids as [string, string, string]
  const lacking = () => daemon.daemon.index.lacking('vectors', ids)
  // The row's vector is missing in memory only.
  for (const id of [one, two, three]) {
    const [row] = await daemon.daemon.store.tables.memories.load([id])
    daemon.daemon.index.remove(id)
    daemon.daemon.index.upsert(toEntry(row!, []))
  }
  raw.prepare('UPDATE memory_vectors SET vector = zeroblob(?) WHERE memory_id = ?').run(256 * 1024 + 4, three)
  t.deepEqual(await lacking(), [one, two, three])
  const call = (body: object) => daemon.call('POST /api/repair/resync-vectors', { body: body as never })
  t.like((await call({ dryRun: true })).body, {
    affected: 2,
    status: 'complete',
    skipped: 1,
    checkpointId: null,
  })
  const { body: small } = await call({ maxVectorBytes: 16 })
  t.like(small, { affected: 0, status: 'running', remaining: null })
  t.regex(small.message, /maxVectorBytes/)
  const { body: first } = await call({ batchSize: 1, maxBatches: 1 })
  t.like(first, {
    operation: 'resync-vectors',
    agentId: 'default',
    phase: 'vectors',
    affected: 1,
    status: 'running',
  })
  const { body: rest } = await call({})
  t.like(rest, {
    affected: 1,
    status: 'complete',
    skipped: 1,
    failed: 0,
    remaining: 0,
    remainingStatus: 'exact',
  })
  t.is(rest.checkpointId, first.checkpointId)
  t.deepEqual(await lacking(), [three])
  t.like(raw.prepare('SELECT memory_id, reason FROM vector_quarantine').all(), [
    { memory_id: three, reason: 'oversized' },
  ])
  t.like((await call({ agentId: 'maya' })).body, { agentId: 'maya', affected: 0, status: 'complete' })
  for (const body of [{ allAgents: true }, { scope: 'all' }, { batchSize: 'x' }])
    t.is((await call(body)).status, 400)
})
