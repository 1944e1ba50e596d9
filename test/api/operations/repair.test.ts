import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { deduplicateToEnd } from '../../helpers/deduplicate.js'
import { openRaw, storeLike } from '../../helpers/store.js'

const hourMs = 3_600_000

test('failed jobs return to the queue and leases of hung workers end, with a dry run first (operations.md 5.2)', async t => {
  const time = { now: Date.parse('2026-06-01T12:00:00Z') }
  const daemon = await startDaemon(t, { clock: () => new Date(time.now) })
  const raw = openRaw(t, daemon.paths.database)
  const insert =
    raw.prepare(`INSERT INTO jobs (id, kind, subject, status, attempts, max_attempts, leased_at, run_after,
    created_at, updated_at, payload) VALUES (?, 'embed', ?, ?, ?, 5, ?, ?, ?, ?, '{}')`)
  const at = new Date(time.now - hourMs).toISOString()
  for (const [id, status, attempts, leased] of [
    ['a', 'dead', 5, null],
    ['b', 'dead', 5, null],
    ['c', 'leased', 2, at],
    ['d', 'leased', 5, at],
  ] as const)
    insert.run(id, `m-${id}`, status, attempts, leased, at, at, at)
  const statuses = () => raw.prepare('SELECT status FROM jobs ORDER BY id').pluck().all()
  const dry = await daemon.call('POST /api/repair/release-leases', { body: { dryRun: true } })
  t.like(dry.body, {
    action: 'releaseStaleLeases',
    success: true,
    affected: 2,
    details: { pending: 1, dead: 1 },
  })
  t.deepEqual(statuses(), ['dead', 'dead', 'leased', 'leased'])
  const released = await daemon.call('POST /api/repair/release-leases')
  t.like(released.body, { success: true, affected: 2, details: { pending: 1, dead: 1 } })
  t.deepEqual(statuses(), ['dead', 'dead', 'pending', 'dead'])
  const would = await daemon.call('POST /api/repair/requeue-dead', { body: { dryRun: true } })
  t.like(would.body, { affected: 3, details: { byKind: { embed: 3 } } })
  const requeued = await daemon.call('POST /api/repair/requeue-dead', { body: {} })
  t.like(requeued.body, { action: 'requeueDeadJobs', success: true, affected: 3 })
  t.deepEqual(statuses(), ['pending', 'pending', 'pending', 'pending'])
  const listed = (await daemon.call('GET /api/repair')).body.repairs
  t.is(listed.length, 13)
  t.like(listed[0], { name: 'requeue-dead', callsLeft: 599, nextAt: null })
  t.like(listed[0]?.lastRun, { outcome: 'done', affected: 3, actor: 'operator' })
})

test('the hourly limit counts across restarts, and dry runs do not count (operations.md 5.1)', async t => {
  let now = Date.parse('2026-06-01T12:00:00Z')
  const clock = () => new Date(now)
  const settings = { repair: { callsPerHour: 2, cooldownMs: 60_000 } }
  const first = await startDaemon(t, { clock, settings })
  const sweep = (daemon: typeof first) => daemon.call('POST /api/repair/retention-sweep')
  t.is((await sweep(first)).status, 200)
  now += 1000
  t.is((await sweep(first)).status, 200)
  for (let n = 0; n < 3; n++)
    t.is((await first.call('POST /api/repair/retention-sweep', { body: { dryRun: true } })).status, 200)
  await first.stop()
  const second = await startDaemon(t, { clock, settings, workspace: first.paths.root })
  const refused = await sweep(second)
  t.is(refused.status, 429)
  t.is(refused.body.code, 'rate_limited')
  t.is(refused.headers.get('retry-after'), '3599')
  // Another repair has its own limit, and an expensive one also a pause.
  t.is((await second.call('POST /api/repair/deduplicate')).status, 200)
  now += 59_000
  const early = await second.call('POST /api/repair/deduplicate')
  t.is(early.status, 429)
  t.is(early.headers.get('retry-after'), '1')
  now += 1000
  t.is((await second.call('POST /api/repair/deduplicate')).status, 200)
  now += hourMs
  t.is((await sweep(second)).status, 200)
})

test('a retention sweep deletes expired rows now (operations.md 5.2)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('forgotten long ago')
  await daemon.remember('kept')
  const raw = openRaw(t, daemon.paths.database)
  raw
    .prepare("UPDATE memories SET is_deleted = 1, deleted_at = '2020-01-01T00:00:00.000Z' WHERE id = ?")
    .run(id)
  const dry = await daemon.call('POST /api/repair/retention-sweep', { body: { dryRun: true } })
  t.like(dry.body, { affected: 1, details: { tombstones: 1 } })
  const { body } = await daemon.call('POST /api/repair/retention-sweep')
  t.like(body, {
    action: 'retention_sweep',
    success: true,
    affected: 1,
    details: { tombstones: 1, history: 0 },
  })
  t.is(raw.prepare('SELECT count(*) FROM cold_memories').pluck().get(), 1)
})

test('missing, stale and surplus rows of the keyword index are found and repaired (operations.md 5.4)', async t => {
  const daemon = await startDaemon(t)
  const kept = await daemon.remember('the harbour crane is blue')
  const lost = await daemon.remember('the lighthouse is white')
  const gone = await daemon.remember('the ferry is yellow')
  const sound = await daemon.call('POST /api/repair/check-fts')
  t.like(sound.body, {
    action: 'checkFtsConsistency',
    success: true,
    affected: 0,
    details: { consistent: true },
  })
  daemon.daemon.index.remove(lost)
  const raw = openRaw(t, daemon.paths.database)
  raw
    .prepare("UPDATE memories SET is_deleted = 1, deleted_at = '2030-01-01T00:00:00.000Z' WHERE id = ?")
    .run(gone)
  const { body: found } = await daemon.call('POST /api/repair/check-fts', { body: { repair: false } })
  t.like(found, {
    success: false,
    affected: 2,
    details: { repaired: 'none', missing: 1, strays: 1, extra: 0 },
  })
  t.deepEqual(await daemon.recall('lighthouse'), [])
  const { body: mended } = await daemon.call('POST /api/repair/check-fts', { body: { repair: true } })
  t.like(mended, { success: true, affected: 2, details: { repaired: 'rows', missing: 0, strays: 0 } })
  t.deepEqual(await daemon.recall('lighthouse'), [lost])
  // One row has other text than the index and one is missing, so the index is rebuilt.
  raw.prepare("UPDATE memories SET content = 'the harbour crane is a derrick' WHERE id = ?").run(kept)
  raw.prepare('DELETE FROM memories WHERE id = ?').run(lost)
  const { body: drifted } = await daemon.call('POST /api/repair/check-fts')
  t.like(drifted, { success: false, details: { drifted: 1, extra: 1, tokenizer: { drift: true } } })
  const { body: rebuilt } = await daemon.call('POST /api/repair/check-fts', { body: { repair: true } })
  t.like(rebuilt, { success: true, details: { repaired: 'rebuilt', consistent: true } })
  t.deepEqual(await daemon.recall('derrick'), [kept])
})

test('orphaned rows of every kind are deleted, except those of other agents (operations.md 5.3)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('stays', { structured: { hints: ['a hint'] } } as never)
  const raw = openRaw(t, daemon.paths.database)
  raw.pragma('foreign_keys = OFF')
  const now = '2026-01-01T00:00:00.000Z'
  for (let n = 0; n < 120; n++)
    raw
      .prepare(`INSERT INTO memory_vectors (memory_id, provider, model, dimensions, vector, created_at)
        VALUES (?, 'openai', 'm', 2, x'0000803f00000000', ?)`)
      .run(`gone-${String(n).padStart(3, '0')}`, now)
  raw.prepare('INSERT INTO memory_hints VALUES (?, 0, ?)').run('gone-000', 'hint of nothing')
  raw.prepare("INSERT INTO entity_mentions VALUES ('nobody', ?)").run(id)
  raw.prepare("INSERT INTO entity_names VALUES ('maya', 'ghost', 'nobody', 'Ghost', 1)").run()
  raw.prepare("INSERT INTO claim_premises VALUES ('no', 'none')").run()
  raw
    .prepare(
      `INSERT INTO memory_history (id, memory_id, event, new_content, changed_by, actor_type, reason, created_at, change)
       VALUES ('h', 'gone', 'created', 'its text', 'maya', 'user', '', ?, 0)`,
    )
    .run(now)
  raw
    .prepare("INSERT INTO session_events VALUES ('default', 's', 1, 'e', 'k', ?, 't', 'd', '[]', '{}')")
    .run(now)
  const { body: dry } = await daemon.call('POST /api/repair/clean-orphans', { body: { dryRun: true } })
  t.like(dry, { affected: 124, status: 'complete', checkpointId: null, remaining: 0 })
  const one = { maxBatches: 1, batchSize: 50 }
  const { body: first } = await daemon.call('POST /api/repair/clean-orphans', { body: one })
  t.like(first, { affected: 50, status: 'running', phase: 'memory_vectors', remaining: null })
  const { body: second } = await daemon.call('POST /api/repair/clean-orphans', { body: {} })
  t.is(second.checkpointId, first.checkpointId)
  t.like(second, { affected: 74, status: 'complete', skipped: 1, remaining: 0, remainingStatus: 'exact' })
  t.like(second.details, { left: [{ table: 'memory_history', rows: 1 }] })
  t.regex(second.message, /; kept: 1 row of memory_history/u)
  t.is(raw.prepare("SELECT count(*) FROM memory_history WHERE id = 'h'").pluck().get(), 1)
  t.is(raw.prepare('SELECT count(*) FROM memory_hints').pluck().get(), 1)
  const { body: maya } = await daemon.call('POST /api/repair/clean-orphans', { body: { agentId: 'maya' } })
  t.like(maya, { agentId: 'maya', affected: 1, status: 'complete' })
  t.deepEqual(raw.pragma('foreign_key_check'), [])
  for (const body of [{ allAgents: true }, { scope: 'all' }])
    t.is((await daemon.call('POST /api/repair/clean-orphans', { body: body as never })).status, 400)
})

test('duplicate texts become one memory with all holders, and no agent learns of another’s (operations.md 5.5)', async t => {
  const daemon = await startDaemon(t, { settings: { repair: { cooldownMs: 0 } } })
  const first = await daemon.remember('the crane lifts containers', { tags: 'a', importance: 0.3 })
  const [copy = ''] = await storeLike(daemon.daemon, first, [
    { tags: 'b', importance: 0.9, project: '/shop' },
  ])
  const own = await daemon.remember('maya alone knows', { agentId: 'maya', visibility: 'private' })
  const shared = await daemon.remember('maya alone knows')
  const { body: stats } = await daemon.call('GET /api/repair/dedup-stats')
  t.like(stats, { total: 4, duplicateGroups: 1, duplicates: 1 })
  const { body: dry } = await daemon.call('POST /api/repair/deduplicate', { body: { dryRun: true } })
  t.like(dry, { action: 'deduplicateMemories', affected: 2, details: { status: 'dry_run', complete: true } })
  const raw = openRaw(t, daemon.paths.database)
  t.is(raw.prepare('SELECT count(*) FROM memories WHERE is_deleted = 0').pluck().get(), 4)
  t.is((await deduplicateToEnd(daemon)).affected, 2)
  const { body: kept } = await daemon.call('GET /api/memory/:id', { params: { id: first } })
  t.like(kept, { tags: 'a,b', importance: 0.9 })
  t.deepEqual(await daemon.recall('containers', { project: '/shop' } as never), [first])
  for (const id of [copy, own])
    t.like(raw.prepare('SELECT is_deleted FROM memories WHERE id = ?').get(id), { is_deleted: 1 })
  t.like(raw.prepare('SELECT * FROM memory_holders WHERE memory_id = ?').get(shared), {
    agent_id: 'maya',
    visibility: 'private',
  })
  t.is((await daemon.call('POST /api/repair/deduplicate')).body.affected, 0)
})
