import { rmSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { pathsOf, putNote, readAgain, readVault, settledSource, vaultOf } from '../../helpers/sources.js'

test('a vault is registered once, indexed, and indexed again when it changed', async t => {
  const daemon = await startDaemon(t)
  const path = vaultOf(t, { 'a.md': '# A\n\nThe crane lifts containers.', 'sub/b.md': 'The quay is long.' })
  const source = await readVault(daemon, path)
  t.like(source.indexJob, { status: 'complete', partial: false, scanned: 2, indexed: 2, pauseReason: null })
  t.deepEqual(source.stats, { artifacts: 2, chunks: 2, indexed: 2 })
  t.is(source.health.status, 'healthy')
  t.regex(source.id, /^notevault:[0-9a-f]+$/)
  t.truthy(source.lastIndexedAt)
  t.deepEqual(await pathsOf(daemon, source.id), ['a.md', 'sub/b.md'])

  putNote(path, 'a.md', '# A\n\nThe crane lifts nothing any more.')
  putNote(path, 'c.md', 'New here.')
  rmSync(join(path, 'sub/b.md'))
  const again = await daemon.call('POST /api/sources/notevault', { body: { root: path } })
  t.like(again.body, { created: false, source: { id: source.id }, job: { sourceId: source.id } })
  const after = await settledSource(daemon, source.id)
  t.like(after.indexJob, { status: 'complete', scanned: 2, indexed: 2 })
  t.deepEqual(await pathsOf(daemon, source.id), ['a.md', 'c.md'])
  t.deepEqual(after.health.purge.deletedArtifacts, 0)
  const unchanged = await readAgain(daemon, source.id)
  t.like(unchanged.indexJob, { status: 'complete', scanned: 2 })
  const { body } = await daemon.call('GET /api/sources')
  t.is(body.version, 1)
  t.deepEqual(
    body.sources.map(({ id, stats }) => [id, stats.artifacts]),
    [[source.id, 2]],
  )
})

test('a source can be paused, resumed and removed', async t => {
  const daemon = await startDaemon(t)
  const path = vaultOf(t, { 'a.md': 'One.', 'b.md': 'Two.' })
  const { id: sourceId } = await readVault(daemon, path)
  const params = { sourceId }
  const paused = await daemon.call('POST /api/sources/:sourceId/pause', { params })
  t.is(paused.status, 202)
  t.like(paused.body.job, { status: 'paused', pauseReason: 'requested', sourceId })
  const resumed = await daemon.call('POST /api/sources/:sourceId/resume', { params })
  t.is(resumed.status, 202)
  await settledSource(daemon, sourceId)
  const removed = await daemon.call('DELETE /api/sources/:sourceId', { params })
  t.true([200, 202].includes(removed.status))
  t.like(removed.body, { source: { id: sourceId } })
  t.is((await daemon.call('GET /api/sources/:sourceId', { params })).status, 404)
  t.deepEqual((await daemon.call('GET /api/sources')).body.sources, [])
  const added = await readVault(daemon, path)
  t.deepEqual(added.stats, { artifacts: 2, chunks: 2, indexed: 2 })
})
