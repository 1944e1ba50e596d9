import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { ownCaller } from '../../../src/daemon/ground/visibility/caller.js'
import { snapshotFile } from '../../../src/daemon/knowledge/sources/core/pending-snapshot.js'
import { exportSnapshot } from '../../../src/daemon/knowledge/sources/snapshot.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { importOne } from '../../helpers/imports.js'
import { pathsOf, putNote, readAgain, readVault, settledSource, vaultOf } from '../../helpers/sources.js'
import { openRaw } from '../../helpers/store.js'
import { turnsDuring } from '../../helpers/turns.js'

const address = (daemon: Pick<TestDaemon, 'url'>, id: string) =>
  `${daemon.url}/api/sources/${encodeURIComponent(id)}/snapshot`

async function exported(daemon: Pick<TestDaemon, 'url'>, id: string, query = '') {
  // biome-ignore lint/suspicious/noExplicitAny: changed by the tests before it is sent back
  return (await (await fetch(`${address(daemon, id)}${query}`)).json()) as any
}

async function takeIn(daemon: Pick<TestDaemon, 'url'>, id: string, body: unknown, query = '') {
  const response = await fetch(`${address(daemon, id)}/import${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const notes = {
  'a.md': '---\naliases: [Lifter]\n---\n# A\n\nThe crane lifts 🏗 containers.',
  'b.md': 'The quay.',
}

test('a snapshot contains every artifact, and restores those that changed since', async t => {
  const daemon = await startDaemon(t)
  const vault = vaultOf(t, notes)
  const { id } = await readVault(daemon, vault)
  const snapshot = await exported(daemon, id)
  t.like(snapshot, { version: 1, agentId: 'default', source: { id }, skipped: { localChatArtifacts: 0 } })
  t.deepEqual(
    snapshot.artifacts.map((one: { sourcePath: string }) => one.sourcePath),
    ['a.md', 'b.md'],
  )
  t.like(snapshot.artifacts[0], { sourceId: id, sourceKind: 'note' })
  t.regex(snapshot.artifacts[0].content, /The crane lifts 🏗 containers\./u)
  putNote(vault, 'b.md', 'The quay was moved.')
  putNote(vault, 'c.md', 'New.')
  await readAgain(daemon, id)
  t.deepEqual(await takeIn(daemon, id, snapshot), {
    status: 200,
    body: { ok: true, imported: 2, skipped: 0 },
  })
  t.deepEqual(await pathsOf(daemon, id), ['a.md', 'b.md'])
  const after = await exported(daemon, id)
  t.deepEqual(after.artifacts, snapshot.artifacts)
  t.deepEqual(readdirSync(daemon.paths.snapshots), [])
  await readAgain(daemon, id)
  t.deepEqual(await pathsOf(daemon, id), ['a.md', 'b.md', 'c.md'])
})

test('a snapshot of thousands of artifacts does not block other requests', async t => {
  const daemon = await startDaemon(t)
  const { id } = await readVault(daemon, vaultOf(t, notes))
  openRaw(t, daemon.paths.database).exec(`
    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 4000)
    INSERT INTO source_artifacts (id, source_id, path, kind, fingerprint, content_hash, pass, safety_status,
        safety_reasons, safety_policy, safety_scanned_at, created_at, updated_at)
      SELECT 'made-' || n, source_id, 'made/' || n, kind, fingerprint, content_hash, pass, safety_status,
        safety_reasons, safety_policy, safety_scanned_at, created_at, updated_at
      FROM n, source_artifacts WHERE path = 'b.md';
    INSERT INTO source_texts SELECT id, 'The quay.' FROM source_artifacts WHERE id LIKE 'made-%'`)
  const caller = ownCaller(daemon.daemon, 'test')
  const query = { includeLocalChatCache: false }
  const snapshot = await exportSnapshot(daemon.daemon, caller, { id, query })
  const parts: string[] = []
  const turns = await turnsDuring(async () => {
    for await (const part of snapshot) parts.push(part)
  })
  t.is(JSON.parse(parts.join('')).artifacts.length, 4002)
  t.true(turns > 5)
})

test('local-only direct messages are excluded from snapshots unless requested', async t => {
  const daemon = await startDaemon(t)
  const { id } = await readVault(daemon, vaultOf(t, notes))
  const { sourceArtifacts } = daemon.daemon.store.tables
  const local = await sourceArtifacts.byPath(id, 'b.md')
  await sourceArtifacts.change(local?.id ?? '', { is_local_only: 1 })
  const without = await exported(daemon, id)
  t.is(without.artifacts.length, 1)
  t.deepEqual(without.skipped, { localChatArtifacts: 1 })
  const all = await exported(daemon, id, '?includeLocalChatCache=true')
  t.like(all.artifacts[1], { sourcePath: 'b.md', localOnly: true })
  all.artifacts[1].content = 'another text'
  t.like((await takeIn(daemon, id, all)).body, { imported: 1, skipped: 1 })
  t.is((await exported(daemon, id, '?includeLocalChatCache=true')).artifacts[1].content, 'The quay.')
  t.like((await takeIn(daemon, id, all, '?includeLocalChatCache=true')).body, { imported: 2, skipped: 0 })
  t.is((await exported(daemon, id, '?includeLocalChatCache=true')).artifacts[1].content, 'another text')
  t.like((await takeIn(daemon, id, { ...all, artifacts: [] }, '?includeLocalChatCache=true')).body, {
    imported: 0,
  })
  t.deepEqual(await pathsOf(daemon, id), [])
})

test('restored JSON is searched as readable text', async t => {
  const daemon = await startDaemon(t)
  const { sourceId } = await importOne(daemon, 'a.json', '{"length":{"metres":400}}')
  const id = sourceId ?? ''
  const snapshot = await exported(daemon, id)
  t.is(snapshot.artifacts[0].content, '{"length":{"metres":400}}')
  snapshot.artifacts[0].content = '{"length":{"metres":500}}'
  await takeIn(daemon, id, snapshot)
  const { sourceArtifacts, sourceChunks } = daemon.daemon.store.tables
  const artifact = await sourceArtifacts.byPath(id, 'a.json')
  const [chunk] = await sourceChunks.of(artifact?.id ?? '', 0, 1)
  t.regex(chunk?.text ?? '', /^metres: 500$/mu)
})

test('an incomplete or foreign snapshot is refused and changes nothing', async t => {
  const daemon = await startDaemon(t)
  const { id } = await readVault(daemon, vaultOf(t, notes))
  const snapshot = await exported(daemon, id)
  const text = JSON.stringify(snapshot)
  const refused: [unknown, number, string][] = [
    [text.slice(0, -5), 400, 'invalid_json'],
    [{ ...snapshot, version: 2 }, 400, 'validation_failed'],
    [{ ...snapshot, source: { id, kind: 'coderepo' } }, 400, 'validation_failed'],
    [{ ...snapshot, artifacts: [...snapshot.artifacts, { sourcePath: 'x' }] }, 400, 'validation_failed'],
  ]
  for (const [body, status, code] of refused)
    t.like(await takeIn(daemon, id, body), { status, body: { code } })
  t.like(await takeIn(daemon, 'notevault:none', snapshot), { status: 404 })
  t.is((await fetch(address(daemon, 'notevault:none'))).status, 404)
  const form = await fetch(`${address(daemon, id)}/import`, { method: 'POST', body: 'x' })
  t.is(form.status, 415)
  t.deepEqual(await pathsOf(daemon, id), ['a.md', 'b.md'])
  t.deepEqual(readdirSync(daemon.paths.snapshots), [])
})

test('a paused source stays paused, and snapshots are restored one at a time', async t => {
  const daemon = await startDaemon(t)
  const { id } = await readVault(daemon, vaultOf(t, notes))
  const snapshot = await exported(daemon, id)
  await daemon.call('POST /api/sources/:sourceId/pause', { params: { sourceId: id } })
  t.is((await takeIn(daemon, id, snapshot)).status, 200)
  const { body } = await daemon.call('GET /api/sources/:sourceId', { params: { sourceId: id } })
  t.like(body.indexJob, { status: 'paused', pauseReason: 'requested' })
  const many = {
    ...snapshot,
    artifacts: Array.from({ length: 2000 }, (_, n) => ({ ...snapshot.artifacts[0], sourcePath: `${n}.md` })),
  }
  const both = await Promise.all([takeIn(daemon, id, many), takeIn(daemon, id, many)])
  t.true(both.every(({ status }) => status === 200 || status === 409))
  t.true(both.some(({ status }) => status === 200))
})

test('a complete snapshot is restored at the next start if the daemon was killed', async t => {
  const first = await startDaemon(t)
  const vault = vaultOf(t, notes)
  const { id } = await readVault(first, vault)
  const snapshot = await exported(first, id)
  snapshot.artifacts[0].content = 'from the snapshot'
  await first.call('POST /api/sources/:sourceId/pause', { params: { sourceId: id } })
  await first.stop()
  mkdirSync(first.paths.snapshots, { recursive: true })
  const file = snapshotFile(first, id, false)
  writeFileSync(file, JSON.stringify({ ...snapshot, artifacts: snapshot.artifacts.slice(0, 1) }))
  writeFileSync(join(first.paths.snapshots, 'notevault-none.json'), '{}')
  writeFileSync(`${file}.part`, '{}')
  const second = await startDaemon(t, { workspace: first.paths.root })
  await until(() => !existsSync(file))
  await settledSource(second, id)
  t.deepEqual(readdirSync(second.paths.snapshots), [])
  const after = await exported(second, id)
  t.true(after.artifacts.some((one: { content: string }) => one.content === 'from the snapshot'))
})
