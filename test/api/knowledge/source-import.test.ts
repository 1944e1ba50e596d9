import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { ownCaller } from '../../../src/daemon/ground/visibility/caller.js'
import { importFiles } from '../../../src/daemon/knowledge/sources/file-import/import-files.js'
import { startDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import { artifactsOf, importOne, upload } from '../../helpers/imports.js'
import { removeWholly } from '../../helpers/sources.js'
import { openRaw } from '../../helpers/store.js'

const crane = '# Cranes\n\nThe harbour crane lifts forty containers an hour.\n'

test('a file becomes a source with one artifact, and the result of the import is reported', async t => {
  const daemon = await startDaemon(t)
  const file = await importOne(daemon, 'crane.md', crane)
  t.like(file, { fileName: 'crane.md', status: 'imported', format: 'markdown', duplicate: false })
  t.regex(file.sourceId ?? '', /^import:[\da-f]+$/u)
  const params = { sourceId: file.sourceId ?? '' }
  const { body } = await daemon.call('GET /api/sources/:sourceId', { params })
  t.like(body, {
    kind: 'import',
    name: 'crane.md',
    root: 'crane.md',
    mode: 'read-only',
    stats: { artifacts: 1, chunks: 1, indexed: 1 },
    indexJob: { status: 'complete', partial: false, scanned: 1, indexed: 1 },
    health: { status: 'healthy', importExtraction: file.extraction as object },
  })
  t.truthy(body.lastIndexedAt)
  t.deepEqual(await artifactsOf(daemon, params.sourceId), [
    { sourcePath: 'crane.md', kind: 'markdown', title: 'Cranes', chunks: 1 },
  ])
  const [attention] = await daemon.daemon.store.tables.attentions.of('default', params.sourceId, 10)
  // It may have been looked at already.
  t.like(attention, { kind: 'hygiene', subject_kind: 'source' })
})

test('the properties in a file become facts with quotes, and a duplicate reports the same ones', async t => {
  const daemon = await startDaemon(t)
  const text = '# Cranes\n\nOwner: the harbour\n\nThey lift containers.\n'
  const { extraction, sourceId } = await importOne(daemon, 'crane.md', text)
  t.like(extraction, { aspectsCreated: 1, attributesCreated: 2 })
  const { body } = await daemon.call('GET /api/ontology/entities/:id', {
    params: { id: extraction?.documentEntityId ?? '' },
  })
  t.like(body.entity, { name: 'crane.md', type: 'document' })
  const health = await daemon.call('GET /api/sources/:sourceId/health', {
    params: { sourceId: sourceId ?? '' },
  })
  t.deepEqual(health.body.health.semantic, {
    entities: 1,
    aspects: 1,
    attributes: 2,
    dependencies: 0,
    communities: 0,
    total: 4,
    documentEntityId: extraction?.documentEntityId ?? '',
  })
  t.deepEqual((await importOne(daemon, 'crane.md', text)).extraction, extraction)
  const again = await importOne(daemon, 'crane.md', text, { duplicateMode: 'reimport' })
  t.deepEqual(again.extraction, extraction)
  const other = await importOne(daemon, 'crane.md', 'Owner: nobody at all')
  t.not(other.extraction?.documentEntityId, extraction?.documentEntityId)
  await daemon.call('DELETE /api/sources/:sourceId', { params: { sourceId: sourceId ?? '' } })
  const spans = openRaw(t, daemon.paths.database)
    .prepare(
      "SELECT count(DISTINCT quote) AS count FROM evidence_spans WHERE source_kind = 'artifact' AND quote LIKE '%harbour'",
    )
    .get()
  t.like(spans, { count: 1 }, 'derived facts stay, with their quotes')
})

test('imported text can be found at once, with source_id and source_path', async t => {
  const daemon = await startDaemon(t)
  const { sourceId } = await importOne(daemon, 'crane.md', crane)
  const found = await daemon.call('POST /api/sources/search', { body: { query: 'harbour crane containers' } })
  t.like(found.body.results[0], { kind: 'import', source_id: sourceId, source_path: 'crane.md' })
  const { body } = await daemon.call('POST /api/memory/recall', {
    body: { query: 'harbour crane containers' },
  })
  t.like(body.results[0], { source_id: sourceId, source_path: 'crane.md' })
  await daemon.call('DELETE /api/sources/:sourceId', { params: { sourceId: sourceId ?? '' } })
  const after = await daemon.call('POST /api/sources/search', { body: { query: 'harbour crane containers' } })
  t.deepEqual(after.body.results, [])
})

test('each format has its own kind of artifact', async t => {
  const daemon = await startDaemon(t)
  const rows = Array.from(
    { length: 300 },
    (_, n) => `${n},crane ${n},lifts ${n} containers each hour of the day`,
  )
  const { body } = await upload(daemon, {
    'a.txt': 'The quay is long.',
    'a.json': '{"title":"Quay","length":{"metres":400}}',
    'a.html': '<html><title>T</title><body><main><p>The tide turns.</p></main></body></html>',
    'a.csv': `id,name,does\n${rows.join('\n')}\n`,
    'lies.pdf': 'no PDF at all, but words',
  })
  t.like(body, { imported: 5, failed: 0 })
  const told = []
  for (const { sourceId, format } of body.files) {
    const [artifact, ...others] = await artifactsOf(daemon, sourceId ?? '')
    t.is(others.length, 0)
    told.push([format, artifact?.kind, artifact?.title])
  }
  t.deepEqual(told, [
    ['text', 'text', 'a.txt'],
    ['json', 'json', 'Quay'],
    ['html', 'html', 'T'],
    ['csv', 'table', 'a.csv'],
    ['text', 'text', 'lies.pdf'],
  ])
  const { sourceArtifacts, sourceChunks } = daemon.daemon.store.tables
  const idOf = async (at: number) =>
    (await sourceArtifacts.list(body.files[at]?.sourceId ?? '', { limit: 1, offset: 0 }))[0]?.id ?? ''
  t.is(await sourceArtifacts.textOf(await idOf(1)), '{"title":"Quay","length":{"metres":400}}')
  const words = await sourceChunks.of(await idOf(1), 0, 10)
  t.deepEqual(
    words.map(({ text }) => text),
    ['title: Quay', '## length\n\nmetres: 400'],
  )
  const parts = await sourceChunks.of(await idOf(3), 0, 100)
  t.true(parts.length > 10)
  t.true(parts.every(({ text }) => text.startsWith('| id | name | does |') && text.length < 2000))
  t.is(parts[0]?.page, 'row 1')
  t.regex(parts[1]?.page ?? '', /^row \d+$/u)
  t.regex(parts[1]?.text ?? '', new RegExp(`crane ${Number(parts[1]?.page?.slice(4)) - 1} `, 'u'))
})

test('the same bytes are imported once, unless the request replaces or reimports them', async t => {
  const daemon = await startDaemon(t)
  const first = await importOne(daemon, 'crane.md', crane)
  const { sourceId } = first
  const again = await importOne(daemon, 'other name.md', crane)
  t.like(again, { status: 'duplicate', duplicate: true, sourceId, format: 'markdown' })
  t.deepEqual(again.extraction, first.extraction)
  for (const duplicateMode of ['reimport', 'replace']) {
    const file = await importOne(daemon, 'crane.md', crane, { duplicateMode })
    t.like(file, { status: 'imported', duplicate: true, sourceId })
  }
  t.is((await daemon.call('GET /api/sources')).body.sources.length, 1)
  const named = await importOne(daemon, 'renamed.md', crane, { duplicateMode: 'reimport' })
  t.is(named.sourceId, sourceId)
  t.deepEqual(await artifactsOf(daemon, sourceId ?? ''), [
    { sourcePath: 'renamed.md', kind: 'markdown', title: 'Cranes', chunks: 1 },
  ])
  t.is((await upload(daemon, { 'a.md': 'x' }, { duplicateMode: 'never' })).status, 400)
})

test('a new version of a file replaces the earlier one, and conclusions from it are up for review', async t => {
  const daemon = await startDaemon(t)
  const first = await importOne(daemon, 'crane.md', crane)
  const beside = await importOne(daemon, 'crane.md', `${crane}Painted.`)
  t.not(beside.sourceId, first.sourceId)
  const newest = await importOne(daemon, 'crane.md', `${crane}Painted red.`, { duplicateMode: 'replace' })
  t.like(newest, { status: 'imported', duplicate: false })
  const { body } = await daemon.call('GET /api/sources')
  t.deepEqual(
    body.sources.map(({ id }) => id),
    [newest.sourceId],
  )
  const { attentions } = daemon.daemon.store.tables
  for (const { sourceId } of [first, beside]) {
    const kinds = (await attentions.of('default', sourceId ?? '', 10)).map(({ kind }) => kind)
    t.deepEqual(kinds.sort(), ['hygiene', 'review_due', 'unsupported_source'])
  }
})

test('removing an import removes its text, and marks the conclusions from it', async t => {
  const daemon = await startDaemon(t)
  const { sourceId } = await importOne(daemon, 'crane.md', crane)
  const params = { sourceId: sourceId ?? '' }
  const removed = await daemon.call('DELETE /api/sources/:sourceId', { params })
  t.like(removed.body, { purged: 1 })
  await removeWholly(daemon, params.sourceId)
  const marks = await daemon.daemon.store.tables.attentions.of('default', params.sourceId, 10)
  const marker = marks.find(({ kind }) => kind === 'unsupported_source')
  t.like(JSON.parse(marker?.detail ?? '{}'), { lifecycle: 'unsupported', why: 'removed', name: 'crane.md' })
  t.true(marks.some(({ kind }) => kind === 'review_due'))
  t.like(await importOne(daemon, 'crane.md', crane), { status: 'imported', duplicate: false, sourceId })
})

test('an unreadable file fails alone, with its reason', async t => {
  const daemon = await startDaemon(t)
  const { status, body } = await upload(daemon, {
    'empty.md': '',
    'broken.docx': Buffer.from('PK\x03\x04 no archive at all'),
    'picture.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1]),
    'crane.md': crane,
  })
  t.is(status, 200)
  t.like(body, { imported: 1, failed: 3 })
  t.deepEqual(
    body.files.map(({ fileName, status, reason }) => [fileName, status, reason]),
    [
      ['empty.md', 'failed', 'empty'],
      ['broken.docx', 'failed', 'malformed'],
      ['picture.png', 'failed', 'unsupported'],
      ['crane.md', 'imported', undefined],
    ],
  )
  for (const file of body.files.slice(0, 3)) {
    t.false('extraction' in file)
    t.is(file.sourceId, null)
    t.true(file.error?.includes(JSON.stringify(file.fileName)))
  }
})

test('local paths are read instead of uploads, and paths that are not regular files are reported', async t => {
  const daemon = await startDaemon(t)
  const folder = temporaryWorkspace(t)
  const path = join(folder, 'crane.md')
  writeFileSync(path, crane)
  symlinkSync(path, join(folder, 'link.md'))
  mkdirSync(join(folder, 'deep'))
  const import_ = (paths: string | string[]) => daemon.call('POST /api/sources/import', { body: { paths } })
  const one = await import_(path)
  t.like(one.body.files[0], { fileName: 'crane.md', status: 'imported' })
  const { body } = await import_([
    join(folder, 'link.md'),
    join(folder, 'deep'),
    '/dev/zero',
    'relative.md',
    join(folder, 'none.md'),
    daemon.paths.database,
    daemon.paths.registration,
  ])
  t.like(body, { imported: 0, failed: 7 })
  t.deepEqual(
    body.files.map(({ error }) => error?.replace(/^\S+ ?(?:is )?/u, '')),
    [
      'it is a link; name its target',
      'it is a folder; name the files in it',
      'it is not a regular file',
      'not an absolute path',
      'file not found',
      'it belongs to the workspace',
      'it belongs to the workspace',
    ],
  )
  const artifacts = await artifactsOf(daemon, one.body.files[0]?.sourceId ?? '')
  t.like(artifacts[0], { sourcePath: path })
  const caller = { ...ownCaller(daemon.daemon, 'somebody'), peer: '10.0.0.9' }
  const request = {
    body: { duplicateMode: 'skip' as const, paths: [path] },
    files: [],
    signal: new AbortController().signal,
  }
  await t.throwsAsync(importFiles(daemon.daemon, caller, request), { code: 'forbidden' })
})

test('too many files or bytes, no files, and frozen writes are refused and store nothing', async t => {
  const daemon = await startDaemon(t)
  const many = Object.fromEntries(Array.from({ length: 26 }, (_, n) => [`${n}.md`, `words ${n}`]))
  t.is((await upload(daemon, many)).status, 413)
  const paths = Object.keys(many).map(name => join('/nowhere', name))
  t.is((await daemon.call('POST /api/sources/import', { body: { paths } })).status, 413)
  t.is((await upload(daemon, {})).status, 400)
  t.is((await daemon.call('POST /api/sources/import')).status, 400)
  const large = new Uint8Array(25 * 1024 * 1024 + 1).fill(120)
  const { body } = await upload(daemon, { 'large.txt': large, 'crane.md': crane })
  t.like(body, { imported: 1, failed: 1 })
  t.regex(body.files[0]?.error ?? '', /larger than 25 MiB/u)
  const frozen = await startDaemon(t, { settings: { memory: { pipelineV2: { mutationsFrozen: true } } } })
  t.is((await upload(frozen, { 'crane.md': crane })).status, 503)
  t.deepEqual((await frozen.call('GET /api/sources')).body.sources, [])
})

test('the same file sent twice at once is one source', async t => {
  const daemon = await startDaemon(t)
  const files = await Promise.all(Array.from({ length: 4 }, () => importOne(daemon, 'crane.md', crane)))
  t.is(new Set(files.map(({ sourceId }) => sourceId)).size, 1)
  t.is(files.filter(({ status }) => status === 'imported').length, 1)
  t.is((await daemon.call('GET /api/sources')).body.sources.length, 1)
})

test('a manifest tells what its project is made of, and its next version replaces the values', async t => {
  const daemon = await startDaemon(t)
  const manifest = (version: string) =>
    JSON.stringify({ name: 'lantern', version: '1.0.0', dependencies: { fastify: version } }, null, 2)
  await importOne(daemon, 'package.json', manifest('^4.0.0'))
  await importOne(daemon, 'package.json', manifest('^5.1.0'))
  const { body } = await daemon.call('GET /api/ontology/entities/:id', { params: { id: 'lantern' } })
  const values = body.claims.map(({ claim, value, status }) => `${claim} = ${value} (${status})`)
  t.true(values.includes('fastify version = ^5.1.0 (current)'), values.join('\n'))
  t.false(
    values.some(value => value.includes('^4.0.0 (current)')),
    values.join('\n'),
  )
  const { body: proposals } = await daemon.call('GET /api/ontology/proposals')
  t.deepEqual(proposals.proposals, [])
})
