import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { stringify } from 'yaml'
import {
  registerKinds,
  SourceFailure,
  type SourceKind,
} from '../../../src/daemon/knowledge/sources/core/kind.js'
import { obsidian } from '../../../src/daemon/knowledge/sources/obsidian/obsidian.js'
import { deferred } from '../../../src/lib/concurrency/deferred.js'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { openaiReply, sendJson, startHttpFake } from '../../helpers/embedding-fakes.js'
import { importOne } from '../../helpers/imports.js'
import { pathsOf, putNote, readAgain, readVault, settledSource, vaultOf } from '../../helpers/sources.js'
import { openRaw } from '../../helpers/store.js'
import { exportedLine, importText } from '../../helpers/transcript-imports.js'

test('a provider that is down does not delay a sync: keywords work at once, vectors follow', async t => {
  let isProviderDown = true
  const fake = await startHttpFake(t, (request, response) =>
    isProviderDown ? sendJson(response, 503, {}) : sendJson(response, 200, openaiReply(request, 8)),
  )
  const embedding = { provider: 'openai', model: 'm', baseUrl: `${fake.url}/v1`, dimensions: 8 }
  const daemon = await startDaemon(t, { settings: { embedding } })
  const source = await readVault(
    daemon,
    vaultOf(t, { 'a.md': 'The crane lifts.', 'b.md': 'The quay is long.' }),
  )
  t.is(source.indexJob?.status, 'complete')
  t.regex(source.indexJob?.statusMessage ?? '', /embeddings pending: .*2 passages are only found by keyword/)
  const failing = await settledSource(daemon, source.id, ({ health }) => health.status === 'degraded')
  t.regex(
    failing.health.notes.join(),
    /provider does not answer \(.*\): 2 passages are only found by keyword/,
  )
  const { body } = await daemon.call('POST /api/sources/search', { body: { query: 'crane' } })
  t.is(body.results[0]?.source_path, 'a.md')
  isProviderDown = false
  const vectors = openRaw(t, daemon.paths.database)
    .prepare('SELECT count(*) FROM source_chunk_vectors')
    .pluck()
  await until(async () => vectors.get() === 2)
  const after = await settledSource(daemon, source.id, ({ indexJob }) => indexJob?.statusMessage === null)
  t.is(after.indexJob?.status, 'complete')
  t.like(after.health, { status: 'healthy', notes: [] })
  await until(async () => (await daemon.daemon.artifactIndex.stats()).vectors === 2)
})

test('a text the provider fails on does not keep vectors from the others', async t => {
  const fake = await startHttpFake(t, (request, response) =>
    request.body.includes('NaN')
      ? sendJson(response, 500, {})
      : sendJson(response, 200, openaiReply(request, 8)),
  )
  const embedding = { provider: 'openai', model: 'm', baseUrl: `${fake.url}/v1`, dimensions: 8 }
  const daemon = await startDaemon(t, { settings: { embedding } })
  await readVault(daemon, vaultOf(t, { 'a.md': 'NaN.', 'b.md': 'The quay.', 'c.md': 'The crane.' }))
  const vectors = openRaw(t, daemon.paths.database)
    .prepare('SELECT count(*) FROM source_chunk_vectors')
    .pluck()
  await until(() => vectors.get() === 2 || undefined)
  t.pass()
})

test('a moved note keeps its vectors', async t => {
  const asked: string[] = []
  const fake = await startHttpFake(t, (request, response) => {
    asked.push(...(JSON.parse(request.body) as { input: string[] }).input)
    sendJson(response, 200, openaiReply(request, 8))
  })
  const embedding = { provider: 'openai', model: 'm', baseUrl: `${fake.url}/v1`, dimensions: 8 }
  const daemon = await startDaemon(t, { settings: { embedding } })
  const root = vaultOf(t, { 'a.md': 'The crane lifts.', 'b.md': 'The quay is long.', 'sub/c.md': 'Here.' })
  const { id } = await readVault(daemon, root)
  const placed = openRaw(t, daemon.paths.database)
    .prepare(`SELECT a.path FROM source_chunk_vectors v JOIN source_artifacts a ON a.id = v.artifact_id
      WHERE a.removed = 0 ORDER BY a.path`)
    .pluck()
  await until(() => placed.all().length === 3 || undefined)
  renameSync(join(root, 'a.md'), join(root, 'sub/a.md'))
  await readAgain(daemon, id)
  await until(() => JSON.stringify(placed.all()) === '["b.md","sub/a.md","sub/c.md"]' || undefined)
  t.is(asked.filter(text => text.includes('The crane lifts.')).length, 1)
  t.is((await daemon.daemon.artifactIndex.stats()).vectors, 3)
})

test('while mutations are frozen a source waits, and continues afterwards', async t => {
  const daemon = await startDaemon(t)
  const root = vaultOf(t, { 'a.md': 'One.' })
  const { id } = await readVault(daemon, root)
  const freeze = (mutationsFrozen: boolean) =>
    writeFileSync(
      daemon.paths.settings,
      stringify({ embedding: { provider: 'none' }, memory: { pipelineV2: { mutationsFrozen } } }),
    )
  const isFrozen = () => daemon.daemon.configuration().settings.memory.pipelineV2.mutationsFrozen
  freeze(true)
  await until(async () => isFrozen())
  const params = { sourceId: id }
  t.is((await daemon.call('POST /api/sources/:sourceId/sync', { params, body: {} })).status, 503)
  t.is((await daemon.call('POST /api/sources/notevault', { body: { path: root } })).status, 503)
  t.is((await daemon.call('DELETE /api/sources/:sourceId', { params })).status, 503)
  putNote(root, 'b.md', 'Two.')
  freeze(false)
  await until(async () => !isFrozen())
  await readAgain(daemon, id)
  t.deepEqual(await pathsOf(daemon, id), ['a.md', 'b.md'])
})

test('a start checks for changes made while the daemon was down, and pauses persist', async t => {
  const daemon = await startDaemon(t)
  const root = vaultOf(t, { 'a.md': 'One.' })
  const { id } = await readVault(daemon, root)
  await daemon.stop()
  putNote(root, 'b.md', 'The heron waits.')
  const workspace = daemon.paths.root
  const second = await startDaemon(t, { workspace })
  await until(async () => (await pathsOf(second, id)).length === 2)
  const { body } = await second.call('POST /api/sources/search', { body: { query: 'heron' } })
  t.is(body.results[0]?.source_path, 'b.md')
  await second.call('POST /api/sources/:sourceId/pause', { params: { sourceId: id } })
  await second.stop()
  const third = await startDaemon(t, { workspace })
  const source = await settledSource(third, id)
  t.like(source.indexJob, { status: 'paused', pauseReason: 'requested' })
  t.is(source.health.status, 'degraded')
})

test('an unreadable note is denied with guidance, and its stored text is kept', async t => {
  if (process.getuid?.() === 0) return t.pass('root can read everything')
  const daemon = await startDaemon(t)
  const root = vaultOf(t, { 'a.md': 'One.', 'b.md': 'Two.' })
  const { id } = await readVault(daemon, root)
  chmodSync(join(root, 'a.md'), 0)
  putNote(root, 'b.md', 'Two, changed.')
  const source = await readAgain(daemon, id)
  chmodSync(join(root, 'a.md'), 0o644)
  t.deepEqual(await pathsOf(daemon, id), ['a.md', 'b.md'])
  t.is(source.health.permission.status, 'denied')
  t.regex(source.health.permission.issues[0]?.guidance ?? '', /chmod|Full Disk/)
})

test('telemetry describes sources only by class, phase and size bucket', async t => {
  const daemon = await startDaemon(t)
  const root = vaultOf(t, { 'secret-name.md': 'The crane lifts.' })
  const { id } = await readVault(daemon, root)
  await daemon.call('POST /api/sources/search', { body: { query: 'crane' } })
  await daemon.call('POST /api/sources/search', { body: { query: 'crane' } })
  await readAgain(daemon, id)
  await until(async () => readFileSync(daemon.paths.telemetryEvents, 'utf8').includes('"phase":"freshness"'))
  const text = readFileSync(daemon.paths.telemetryEvents, 'utf8')
  const events = text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
    .filter(({ event }) => event === 'source.lifecycle')
  const phases = events.map(({ properties }) => properties.phase)
  t.is(phases[0], 'connection')
  for (const phase of ['indexing', 'readiness', 'freshness']) t.true(phases.includes(phase), phase)
  t.is(phases.filter(phase => phase === 'first_recall').length, 1)
  t.true(events.every(({ properties }) => properties.sourceClass === 'note_vault'))
  for (const name of ['secret-name', root, id, 'crane']) t.false(text.includes(name), name)
  renameSync(root, `${root}-away`)
  t.is((await readAgain(daemon, id)).indexJob?.status, 'failed')
  await until(async () => readFileSync(daemon.paths.telemetryEvents, 'utf8').includes('"outcome":"failed"'))
})

test('telemetry counts imported files as documents and conversations as transcripts', async t => {
  const daemon = await startDaemon(t)
  await importOne(daemon, 'secret-name.md', 'The crane lifts.')
  await importText(daemon, { text: exportedLine('secret-name', ['where is the crane', 'at the quay']) })
  const told = () =>
    readFileSync(daemon.paths.telemetryEvents, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
      .filter(({ event }) => event === 'source.lifecycle')
      .map(({ properties: { sourceClass, phase } }) => `${sourceClass} ${phase}`)
  const phases = ['connection', 'indexing', 'readiness']
  const expected = ['document', 'transcript'].flatMap(one => phases.map(phase => `${one} ${phase}`))
  await until(async () => told().length >= expected.length)
  t.deepEqual(told(), expected)
  t.false(readFileSync(daemon.paths.telemetryEvents, 'utf8').includes('secret-name'))
})

test('artifacts judged under another safety policy are judged again after a start', async t => {
  const daemon = await startDaemon(t)
  const { id } = await readVault(daemon, vaultOf(t, { 'a.md': 'The crane lifts.' }))
  await daemon.stop()
  const raw = openRaw(t, daemon.paths.database)
  raw.exec(`UPDATE source_artifacts SET safety_policy = '0', safety_status = 'blocked';
    UPDATE source_chunks SET safety_status = 'blocked', change = change + 1;
    UPDATE meta SET value = value + 1 WHERE key = 'change'`)
  const second = await startDaemon(t, { workspace: daemon.paths.root })
  const found = async () =>
    (await second.call('POST /api/sources/search', { body: { query: 'crane' } })).body.results.length
  await until(async () => (await found()) === 1)
  const { body } = await second.call('GET /api/sources/:sourceId/artifacts', { params: { sourceId: id } })
  t.is(body.artifacts[0]?.contentSafety.status, 'clean')
})

test('the sources of a removed agent are removed with it', async t => {
  const daemon = await startDaemon(t)
  const root = vaultOf(t, { 'a.md': 'The crane lifts.' })
  await daemon.remember('something', { agentId: 'maya' })
  const { body } = await daemon.call('POST /api/sources/notevault', { body: { path: root, agentId: 'maya' } })
  await settledSource(daemon, body.source.id)
  await daemon.call('DELETE /api/agents/:name', { params: { name: 'maya' } })
  const raw = openRaw(t, daemon.paths.database)
  const left = raw
    .prepare('SELECT (SELECT count(*) FROM sources) + (SELECT count(*) FROM source_texts)')
    .pluck()
  await until(async () => left.get() === 0)
  t.deepEqual((await daemon.call('POST /api/sources/search', { body: { query: 'crane' } })).body.results, [])
})

test('a source that crashed the daemon twenty times fails until it is requested again', async t => {
  const daemon = await startDaemon(t)
  const { id } = await readVault(daemon, vaultOf(t, { 'a.md': 'alpha' }))
  await daemon.stop()
  const raw = openRaw(t, daemon.paths.database)
  raw.prepare("UPDATE source_index_jobs SET status = 'running', attempts = 19").run()
  raw.close()
  const again = await startDaemon(t, { workspace: daemon.paths.root })
  const failed = await settledSource(again, id)
  t.is(failed.indexJob?.status, 'failed')
  t.regex(failed.indexJob?.statusMessage ?? '', /ended unexpectedly each time/)
  t.is((await readAgain(again, id)).indexJob?.status, 'complete')
})

test('a sync requested during a pass that fails is not lost (sources.md#the-index-job)', async t => {
  const daemon = await startDaemon(t)
  const { id } = await readVault(daemon, vaultOf(t, { 'a.md': 'alpha' }))
  const begun = deferred<undefined>()
  const requested = deferred<undefined>()
  let passes = 0
  const read: typeof obsidian.read = async function* (...given) {
    passes++
    if (passes === 1) {
      begun.resolve(undefined)
      await requested.promise
      throw new SourceFailure('the disk was away')
    }
    yield* obsidian.read(...given)
  }
  registerKinds(daemon.daemon, [{ ...obsidian, read } as SourceKind<unknown>])
  const sync = () => daemon.call('POST /api/sources/:sourceId/sync', { params: { sourceId: id }, body: {} })
  await sync()
  await begun.promise
  t.is((await sync()).status, 202)
  requested.resolve(undefined)
  const source = await settledSource(daemon, id)
  t.like(source.indexJob, { status: 'complete', statusMessage: null })
  t.is(passes, 2)
})
