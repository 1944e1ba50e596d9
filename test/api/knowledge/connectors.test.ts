import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { connect, notesFolder, settledConnector, synchronise } from '../../helpers/connectors.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { settledDocument } from '../../helpers/read-documents.js'
import { fromOutside, startTeam } from '../../helpers/team.js'

const counts = ({
  details,
}: {
  details?: { lastResult: Record<string, unknown> | null } | undefined
}): unknown[] => {
  const result = details?.lastResult ?? {}
  return [result.documentsAdded, result.documentsUpdated, result.documentsRemoved, result.errorCount]
}

async function documentsOf({ call }: TestDaemon) {
  return (await call('GET /api/documents', { query: { limit: 500 } })).body.documents
}

test('a folder is registered, synchronised in the background, and found by recall', async t => {
  const daemon = await startDaemon(t)
  const { root, put } = notesFolder(t, { 'deep/crane.md': '# Cranes\n\nThe harbour crane lifts containers.' })
  put('log.csv', 'a,b')
  const created = await daemon.call('POST /api/connectors', {
    body: { provider: 'filesystem', displayName: 'Notes', settings: { rootPath: `${root}/`, other: 1 } },
  })
  t.is(created.status, 201)
  t.deepEqual(Object.keys(created.body), ['id'])
  const { id } = created.body
  const begun = await daemon.call('POST /api/connectors/:id/sync', { params: { id } })
  t.deepEqual([begun.status, begun.body], [200, { status: 'syncing' }])
  const connector = await settledConnector(daemon, id)
  t.like(connector, { provider: 'filesystem', display_name: 'Notes', status: 'idle', last_error: null })
  t.deepEqual(JSON.parse(connector.config_json), { rootPath: `${root}/`, other: 1 })
  t.is(JSON.parse(connector.cursor_json).lastSyncAt, connector.last_sync_at)
  t.deepEqual(counts(connector), [1, 0, 0, 0])
  const [document] = await documentsOf(daemon)
  t.like(document, { source_url: join(root, 'deep/crane.md'), connector_id: id, status: 'done' })
  t.is((await daemon.recall('harbour crane')).length, 1)
})

test('a connector row has exactly its documented fields', async t => {
  const daemon = await startDaemon(t)
  const id = await connect(daemon, '/nowhere')
  const { body } = await daemon.call('GET /api/connectors/:id', { params: { id } })
  t.deepEqual(Object.keys(body).sort(), [
    'config_json',
    'created_at',
    'cursor_json',
    'display_name',
    'id',
    'last_error',
    'last_sync_at',
    'provider',
    'status',
    'updated_at',
  ])
  const list = await daemon.call('GET /api/connectors')
  t.deepEqual(list.body, { connectors: [body], count: 1 })
})

test('registration checks only the provider name', async t => {
  const { call } = await startDaemon(t)
  for (const provider of ['dropbox', undefined]) {
    const reply = await call('POST /api/connectors', { body: { provider, settings: {} } as never })
    t.is(reply.status, 400)
    t.regex(JSON.stringify(reply.body), /filesystem, vcshost-docs, clouddrive/u)
  }
  const odd = { provider: 'filesystem', settings: { rootPath: 7 } } as const
  t.is((await call('POST /api/connectors', { body: odd })).status, 201)
  const large = { provider: 'filesystem', settings: { rootPath: 'x'.repeat(70_000) } } as const
  t.is((await call('POST /api/connectors', { body: large })).status, 400)
})

test('a placeholder provider can be registered but not synchronised: 501', async t => {
  const { call } = await startDaemon(t)
  const { id } = (await call('POST /api/connectors', { body: { provider: 'clouddrive' } })).body
  const reply = await call('POST /api/connectors/:id/sync', { params: { id } })
  t.is(reply.status, 501)
  t.is(reply.body.code, 'not_implemented')
  t.is((await call('GET /api/connectors/:id', { params: { id } })).body.status, 'idle')
})

test('an unknown id is 404 on every route', async t => {
  const { call } = await startDaemon(t)
  const params = { id: 'nobody' }
  for (const address of [
    'GET /api/connectors/:id',
    'GET /api/connectors/:id/health',
    'POST /api/connectors/:id/sync',
    'DELETE /api/connectors/:id',
  ] as const)
    t.is((await call(address, { params })).status, 404, address)
  const query = { confirm: 'true' }
  t.is((await call('POST /api/connectors/:id/sync/full', { params, query })).status, 404)
})

test('unusable settings or roots are reported at the first sync, and a later sync can succeed', async t => {
  const daemon = await startDaemon(t)
  const { root, put } = notesFolder(t)
  const file = put('a.md', 'words')
  for (const [settings, message] of [
    [{ rootPath: undefined }, /settings\.rootPath: is required/u],
    [{ rootPath: 'notes' }, /"notes" is not an absolute path/u],
    [{ rootPath: join(root, 'later') }, /later": it does not exist/u],
    [{ rootPath: file }, /it is not a folder/u],
    [{ maxFileSize: 'large' }, /settings\.maxFileSize/u],
  ] as const) {
    const id = await connect(daemon, root, settings)
    const { status, last_error, last_sync_at } = await synchronise(daemon, id)
    t.deepEqual([status, last_sync_at], ['error', null])
    t.regex(last_error ?? '', message)
  }
  const { connectors } = (await daemon.call('GET /api/connectors')).body
  const waiting = connectors.find(({ config_json }) => config_json.includes('later'))
  mkdirSync(join(root, 'later'))
  const connector = await synchronise(daemon, waiting?.id ?? '')
  t.like(connector, { status: 'idle', last_error: null })
})

test('patterns select files; ignored folders, hidden files and links are skipped', async t => {
  const daemon = await startDaemon(t)
  const { root, put } = notesFolder(t, {
    'a.md': 'one',
    'deep/b.txt': 'two',
    'deep/c.json': '{}',
    'node_modules/x/README.md': 'three',
    '.git/d.md': 'four',
    '.hidden/e.md': 'five',
  })
  const elsewhere = notesFolder(t, { 'secret.md': 'six' })
  symlinkSync(elsewhere.root, join(root, 'folder'))
  symlinkSync(join(elsewhere.root, 'secret.md'), join(root, 'link.md'))
  await synchronise(daemon, await connect(daemon, root))
  const paths = (await documentsOf(daemon)).map(({ source_url }) => source_url?.slice(root.length + 1))
  t.deepEqual(paths.sort(), ['a.md', 'deep/b.txt'])
  put('drafts/f.md', 'seven')
  const chosen = { patterns: ['{deep,drafts}/*.{json,md}', '.hidden/*'], ignorePatterns: ['drafts/**'] }
  const { details } = await synchronise(daemon, await connect(daemon, root, chosen))
  t.is(details?.lastResult?.listed, 2)
})

test('an incremental sync reads new and changed files and skips the rest', async t => {
  const daemon = await startDaemon(t)
  const { root, put } = notesFolder(t, { 'a.md': 'one', 'b.md': 'two' })
  const id = await connect(daemon, root)
  t.deepEqual(counts(await synchronise(daemon, id)), [2, 0, 0, 0])
  const before = await documentsOf(daemon)
  t.deepEqual(counts(await synchronise(daemon, id)), [0, 0, 0, 0])
  t.deepEqual(await documentsOf(daemon), before)
  put('b.md', 'three, and longer', new Date())
  put('c.md', 'four')
  t.deepEqual(counts(await synchronise(daemon, id)), [1, 1, 0, 0])
  const changed = (await documentsOf(daemon)).find(({ source_url }) => source_url?.endsWith('b.md'))
  t.is(changed?.id, before.find(({ source_url }) => source_url?.endsWith('b.md'))?.id)
  const chunks = await daemon.call('GET /api/documents/:id/chunks', { params: { id: changed?.id ?? '' } })
  t.is(chunks.body.chunks[0]?.content, 'three, and longer')
})

test('a file moved in with an old modification time is read', async t => {
  const daemon = await startDaemon(t)
  const { root, put } = notesFolder(t, { 'a.md': 'one' })
  const id = await connect(daemon, root)
  await synchronise(daemon, id)
  put('old.md', 'from another year', new Date('2001-01-01'))
  t.deepEqual(counts(await synchronise(daemon, id)), [1, 0, 0, 0])
})

test('a replaced file is read, whatever its size and modification time', async t => {
  const daemon = await startDaemon(t)
  const { root, put } = notesFolder(t, { 'a.md': 'one' })
  const id = await connect(daemon, root)
  await synchronise(daemon, id)
  const { atime, mtime } = statSync(join(root, 'a.md'))
  const other = put('other', 'two')
  utimesSync(other, atime, mtime)
  renameSync(other, join(root, 'a.md'))
  t.deepEqual(counts(await synchronise(daemon, id)), [0, 1, 0, 0])
})

test('a file changed within the second of a sync is not missed', async t => {
  const now = new Date()
  const daemon = await startDaemon(t, { clock: () => now })
  const { root, put } = notesFolder(t)
  put('a.md', 'one', now)
  const id = await connect(daemon, root)
  await synchronise(daemon, id)
  const [document] = await documentsOf(daemon)
  // Same size and modification time, as on file systems with a resolution of one second.
  writeFileSync(join(root, 'a.md'), 'two')
  utimesSync(join(root, 'a.md'), now, now)
  await synchronise(daemon, id)
  const chunks = await daemon.call('GET /api/documents/:id/chunks', { params: { id: document?.id ?? '' } })
  t.deepEqual(
    chunks.body.chunks.map(({ content }) => content),
    ['two'],
  )
})

test('a touched file with unchanged content is checked but not chunked again', async t => {
  const daemon = await startDaemon(t)
  const { root } = notesFolder(t, { 'a.md': 'one' })
  const id = await connect(daemon, root)
  await synchronise(daemon, id)
  const [document] = await documentsOf(daemon)
  const params = { id: document?.id ?? '' }
  const before = (await daemon.call('GET /api/documents/:id/chunks', { params })).body
  const later = new Date(Date.now() - 60_000)
  utimesSync(join(root, 'a.md'), later, later)
  t.deepEqual(counts(await synchronise(daemon, id)), [0, 1, 0, 0])
  t.deepEqual((await daemon.call('GET /api/documents/:id/chunks', { params })).body, before)
  t.is((await settledDocument(daemon, params.id)).timings.chunking, undefined)
})

test('a full sync needs confirm=true and reads everything again', async t => {
  const daemon = await startDaemon(t)
  const { root } = notesFolder(t, { 'a.md': 'one' })
  const id = await connect(daemon, root)
  const params = { id }
  const first = await synchronise(daemon, id)
  for (const query of [{}, { confirm: 'false' }, { confirm: '1' }]) {
    const reply = await daemon.call('POST /api/connectors/:id/sync/full', { params, query })
    t.is(reply.status, 400, JSON.stringify(query))
  }
  const connector = await synchronise(daemon, id, { full: true })
  t.deepEqual(counts(connector), [0, 1, 0, 0])
  t.true((connector.last_sync_at ?? '') > (first.last_sync_at ?? ''))
  const [document] = await documentsOf(daemon)
  t.is(document?.status, 'done')
  t.is(typeof document?.timings.chunking, 'number')
  t.is((await daemon.recall('one')).length, 1)
})

test('a sync requested twice runs once', async t => {
  const daemon = await startDaemon(t)
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`${n}.md`, `note ${n}`]))
  const { root } = notesFolder(t, files)
  const id = await connect(daemon, root)
  const sync = () => daemon.call('POST /api/connectors/:id/sync', { params: { id } })
  const replies = await Promise.all([sync(), sync(), sync()])
  t.deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 200],
  )
  const again = replies.filter(({ body }) => body.message)
  t.deepEqual(
    again.map(({ body }) => body),
    Array.from({ length: 2 }, () => ({ status: 'syncing' as const, message: 'Already syncing' })),
  )
  t.deepEqual(counts(await settledConnector(daemon, id)), [300, 0, 0, 0])
})

test('a file that is too large is reported as an error, and the others are read', async t => {
  const daemon = await startDaemon(t)
  const { root, put } = notesFolder(t, { 'a.md': 'one', 'large.md': 'x'.repeat(200) })
  const id = await connect(daemon, root, { maxFileSize: 100 })
  const connector = await synchronise(daemon, id)
  t.like(connector, { status: 'idle', last_error: null })
  t.deepEqual(counts(connector), [1, 0, 0, 1])
  t.deepEqual(connector.details?.lastResult?.errors, [
    { resourceId: 'large.md', message: 'it has 200 bytes; maxFileSize is 100', retryable: false },
  ])
  put('large.md', 'small now')
  t.deepEqual(counts(await synchronise(daemon, id)), [1, 0, 0, 0])
})

test('the document of a deleted file is removed, and recall no longer finds it', async t => {
  const daemon = await startDaemon(t)
  const { root } = notesFolder(t, { 'a.md': 'the harbour crane', 'b.md': 'the lighthouse' })
  const id = await connect(daemon, root)
  await synchronise(daemon, id)
  rmSync(join(root, 'a.md'))
  t.deepEqual(counts(await synchronise(daemon, id)), [0, 0, 1, 0])
  t.deepEqual(await daemon.recall('harbour crane'), [])
  t.is((await documentsOf(daemon)).length, 1)
})

test('nothing is removed while a part of the folder cannot be read', async t => {
  const daemon = await startDaemon(t)
  const { root } = notesFolder(t, { 'a.md': 'one', 'b.md': 'two' })
  const id = await connect(daemon, root)
  await synchronise(daemon, id)
  rmSync(join(root, 'a.md'))
  const odd = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])])
  mkdirSync(odd)
  const connector = await synchronise(daemon, id)
  t.is(connector.status, 'idle')
  t.deepEqual(counts(connector), [0, 0, 0, 1])
  t.regex(connector.details?.lastResult?.errors[0]?.message ?? '', /not valid UTF-8/u)
  t.is((await documentsOf(daemon)).length, 2)
  rmSync(odd, { recursive: true })
  t.deepEqual(counts(await synchronise(daemon, id)), [0, 0, 1, 0])
})

test('an empty folder removes nothing, because an unmounted disk looks the same', async t => {
  const daemon = await startDaemon(t)
  const { root } = notesFolder(t, { 'a.md': 'one' })
  const id = await connect(daemon, root)
  await synchronise(daemon, id)
  rmSync(join(root, 'a.md'))
  t.deepEqual(counts(await synchronise(daemon, id)), [0, 0, 0, 1])
  t.is((await documentsOf(daemon)).length, 1)
})

test('health counts the documents below the folder, not those of a folder with a longer name', async t => {
  const daemon = await startDaemon(t)
  const { root } = notesFolder(t, { 'b/x.md': 'one', 'bc/y.md': 'two', 'b/deep/z.md': 'three' })
  const inner = await connect(daemon, `${root}/b/`)
  await synchronise(daemon, await connect(daemon, root))
  const { body } = await daemon.call('GET /api/connectors/:id/health', { params: { id: inner } })
  t.deepEqual(body, { id: inner, status: 'idle', lastSyncAt: null, lastError: null, documentCount: 2 })
})

test('a file that was added by hand is the same document', async t => {
  const daemon = await startDaemon(t)
  const { root } = notesFolder(t, { 'a.md': 'one' })
  const url = join(root, 'a.md')
  const added = await daemon.call('POST /api/documents', { body: { source_type: 'file', url } })
  const id = await connect(daemon, root)
  t.deepEqual(counts(await synchronise(daemon, id)), [0, 1, 0, 0])
  t.like(await settledDocument(daemon, added.body.id), { connector_id: id })
})

test('a removal keeps the documents, unless cascade removes them too', async t => {
  const daemon = await startDaemon(t)
  const { root } = notesFolder(t, { 'a.md': 'the harbour crane', 'b.md': 'the lighthouse' })
  const by = { body: { source_type: 'text', content: 'the pier' } } as const
  await settledDocument(daemon, (await daemon.call('POST /api/documents', by)).body.id)
  const first = await connect(daemon, root)
  await synchronise(daemon, first)
  const kept = await daemon.call('DELETE /api/connectors/:id', { params: { id: first } })
  t.deepEqual(kept.body, { deleted: true })
  t.is((await documentsOf(daemon)).length, 3)
  const second = await connect(daemon, root)
  await synchronise(daemon, second)
  const query = { cascade: true }
  const gone = await daemon.call('DELETE /api/connectors/:id', { params: { id: second }, query })
  t.deepEqual(gone.body, { deleted: true, documentsRemoved: 2, memoriesRemoved: 2 })
  t.is((await documentsOf(daemon)).length, 1)
  t.deepEqual(await daemon.recall('harbour crane'), [])
  t.is((await daemon.call('GET /api/connectors')).body.count, 0)
})

test('a connector can be removed during its sync', async t => {
  const daemon = await startDaemon(t)
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`${n}.md`, `note ${n}`]))
  const { root } = notesFolder(t, files)
  const id = await connect(daemon, root)
  const params = { id }
  await daemon.call('POST /api/connectors/:id/sync', { params })
  const query = { cascade: true }
  t.is((await daemon.call('DELETE /api/connectors/:id', { params, query })).status, 200)
  t.is((await daemon.call('GET /api/connectors/:id', { params })).status, 404)
  t.is((await documentsOf(daemon)).length, 0)
})

test('while frozen, syncs and cascades are refused; connectors can be registered and read', async t => {
  const daemon = await startDaemon(t, { settings: { memory: { pipelineV2: { mutationsFrozen: true } } } })
  const id = await connect(daemon, '/notes')
  const params = { id }
  t.is((await daemon.call('POST /api/connectors/:id/sync', { params })).status, 503)
  const cascade = await daemon.call('DELETE /api/connectors/:id', { params, query: { cascade: true } })
  t.is(cascade.status, 503)
  t.is((await daemon.call('GET /api/connectors/:id', { params })).status, 200)
})

test('reads need a credential without a permission, writes need the permission connectors', async t => {
  const daemon = await startTeam(t, { settings: { auth: { folders: { '*': ['/'] } } } })
  const body = { provider: 'filesystem', settings: { rootPath: '/' } } as const
  const agent = daemon.token({ role: 'agent' })
  t.is((await daemon.call('GET /api/connectors')).status, 401)
  t.is((await daemon.call('POST /api/connectors', { body, headers: agent })).status, 403)
  const operator = daemon.token({ role: 'operator' })
  const { status, body: created } = await daemon.call('POST /api/connectors', { body, headers: operator })
  t.is(status, 201)
  const params = { id: created.id }
  const reader = daemon.token({ role: 'readonly' })
  for (const address of ['GET /api/connectors/:id', 'GET /api/connectors/:id/health'] as const)
    t.is((await daemon.call(address, { params, headers: reader })).status, 200)
  t.is((await daemon.call('POST /api/connectors/:id/sync', { params, headers: agent })).status, 403)
  const confined = daemon.token({ role: 'operator', scope: { project: '/shop' } })
  const outside = await daemon.call('POST /api/connectors/:id/sync', { params, headers: confined })
  t.is(outside.body.code, 'scope_violation')
})

test('only callers on the daemon’s machine can register a folder', async t => {
  const team = await startTeam(t, { settings: { daemon: { host: '0.0.0.0' } } })
  const outside = fromOutside(team.url)
  if (!outside) return t.log('this machine has no network address')
  const register = (provider: string) =>
    fetch(`${outside}/api/connectors`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...team.token({ role: 'operator' }) },
      body: JSON.stringify({ provider, settings: { rootPath: notesFolder(t) } }),
    })
  t.like(await (await register('filesystem')).json(), { code: 'forbidden' })
  t.is((await register('clouddrive')).status, 201)
})
