import { renameSync, rmSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { readVault, removeWholly, settledSource, vaultOf } from '../../helpers/sources.js'
import { openRaw } from '../../helpers/store.js'
import { exportedLine, importText } from '../../helpers/transcript-imports.js'

test('the same folder added many times at once is one source with each note once', async t => {
  const daemon = await startDaemon(t)
  const path = vaultOf(t, { 'a.md': 'One.', 'b.md': 'Two.' })
  const body = { path }
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => daemon.call('POST /api/sources/notevault', { body })),
  )
  t.true(replies.every(({ status }) => status === 200))
  t.is(replies.filter(reply => reply.body.created).length, 1)
  const [id, ...others] = new Set(replies.map(reply => reply.body.source.id))
  t.deepEqual(others, [])
  const { stats } = await settledSource(daemon, id ?? '')
  t.deepEqual(stats, { artifacts: 2, chunks: 2, indexed: 2 })
  t.is((await daemon.call('GET /api/sources')).body.sources.length, 1)
})

test('a source removed during a read leaves nothing behind and can be added again', async t => {
  const daemon = await startDaemon(t)
  const notes = Array.from({ length: 1500 }, (_, at) => [`n${at}.md`, `# Note ${at}\n\nThe crane ${at}.`])
  const path = vaultOf(t, Object.fromEntries(notes))
  const { body } = await daemon.call('POST /api/sources/notevault', { body: { path } })
  const params = { sourceId: body.source.id }
  const raw = openRaw(t, daemon.paths.database)
  const count = (rows: string) => raw.prepare(`SELECT count(*) FROM ${rows}`).pluck().get() as number
  await until(() => count('source_artifacts') > 0 || undefined)
  t.true(count('source_artifacts') < notes.length, 'it was still being read')
  const removed = await daemon.call('DELETE /api/sources/:sourceId', { params })
  t.true([200, 202].includes(removed.status))
  t.is((await daemon.call('GET /api/sources/:sourceId', { params })).status, 404)
  const left = ['sources', 'source_index_jobs', 'source_artifacts', 'source_texts']
  await until(() => left.every(rows => count(rows) === 0) || undefined)
  t.is(count('source_chunks WHERE removed = 0'), 0)
  const found = await daemon.call('POST /api/sources/search', { body: { query: 'crane' } })
  t.is(found.body.count, 0)
  const again = await daemon.call('POST /api/sources/notevault', { body: { path } })
  t.like(again.body, { created: true, source: { id: body.source.id } })
})

test('a failed clean-up is pending: 202, not listed, 409 for changes, and completed when requested again', async t => {
  const daemon = await startDaemon(t)
  const { call, paths } = daemon
  const { sourceId } = await importText(daemon, { text: exportedLine('s', ['a crane', 'yes']) })
  const params = { sourceId: sourceId ?? '' }
  // The import's files on disk become unreadable.
  renameSync(paths.imports, `${paths.imports}.away`)
  writeFileSync(paths.imports, 'no folder')
  // On a busy machine a reply may come before the clean-up was tried.
  const tried = await until(async () => {
    const { status, body } = await call('DELETE /api/sources/:sourceId', { params })
    t.is(status, 202)
    return body.cleanupPending ? body : undefined
  })
  t.like(tried, { source: { id: sourceId }, pending: true })
  t.deepEqual((await call('GET /api/sources')).body.sources, [])
  t.is((await call('GET /api/sources/:sourceId/health', { params })).status, 404)
  for (const step of ['sync', 'pause', 'resume'] as const)
    t.like(await call(`POST /api/sources/:sourceId/${step}`, { params }), {
      status: 409,
      body: { code: 'conflict' },
    })
  rmSync(paths.imports)
  renameSync(`${paths.imports}.away`, paths.imports)
  await removeWholly(daemon, params.sourceId)
  t.is((await call('DELETE /api/sources/:sourceId', { params })).status, 404)
})

test('a removal that fails after its tombstone is pending, not an error, and completes when requested again', async t => {
  const daemon = await startDaemon(t)
  const { id } = await readVault(daemon, vaultOf(t, { 'a.md': 'The crane.' }))
  const params = { sourceId: id }
  const raw = openRaw(t, daemon.paths.database)
  raw.exec("CREATE TRIGGER broken BEFORE DELETE ON source_artifacts BEGIN SELECT RAISE(FAIL, 'broken'); END")
  const first = await daemon.call('DELETE /api/sources/:sourceId', { params })
  t.like(first, { status: 202, body: { source: { id }, purged: 1, pending: true } })
  t.is((await daemon.call('GET /api/sources/:sourceId', { params })).status, 404)
  raw.exec('DROP TRIGGER broken')
  await removeWholly(daemon, id)
  t.is(raw.prepare('SELECT count(*) FROM source_artifacts').pluck().get(), 0)
})
