import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import test from 'ava'
import { capture, transcriptOf } from '../../helpers/captures.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { filesWith } from '../../helpers/files-below.js'
import { vaultOf } from '../../helpers/sources.js'
import { openRaw } from '../../helpers/store.js'
import { exportedLine, importText } from '../../helpers/transcript-imports.js'

const text = Array.from({ length: 60 }, (_, n) => exportedLine(`s${n}`, [`crane ${n}`, 'at the quay'])).join(
  '\n',
)

function found({ call }: TestDaemon, fields: object = {}): Promise<number> {
  return call('POST /api/sessions/search', { body: { query: 'crane', ...fields } }).then(
    ({ body }) => body.count,
  )
}

test('removing the source of an import removes its conversations, keeps fingerprints, and requests a review', async t => {
  const daemon = await startDaemon(t)
  const { call, paths } = daemon
  const job = await importText(daemon, { text })
  const kept = await importText(daemon, { text: exportedLine('other', ['another crane', 'yes']) })
  const sourceId = job.sourceId ?? ''
  const { body: sources } = await call('GET /api/sources')
  t.like(
    sources.sources.find(({ id }) => id === sourceId),
    { kind: 'import', root: `transcripts/${job.id}`, name: 'transcripts (service-export)' },
  )
  const raw = openRaw(t, paths.database)
  const attentions = (kind: string) =>
    raw
      .prepare('SELECT count(*) AS n FROM attentions WHERE kind = ? AND subject LIKE ?')
      .get(kind, `${sourceId}%`)
  t.deepEqual(attentions('new_evidence'), { n: 3 }, 'one per batch')
  // Removals that exceed the caller's wait continue in the background.
  t.true((await call('DELETE /api/sources/:sourceId', { params: { sourceId } })).status < 300)
  await until(() => (existsSync(join(paths.imports, job.id)) ? undefined : true))
  t.is(await found(daemon), 1, 'the other import stays')
  t.is(await transcriptOf(daemon, 's7'), undefined)
  t.is((await call('GET /api/sessions/summaries')).body.count, 1)
  const content = await fetch(`${daemon.url}/api/sources/imports/${job.id}/files/a.jsonl/content`)
  t.is(content.status, 410)
  const { body } = await call('GET /api/sources/imports/:jobId', { params: { jobId: job.id } })
  t.like(body, { state: 'completed', imported: 60 })
  t.truthy(body.removedAt)
  const marks = raw
    .prepare('SELECT count(*) AS n FROM transcript_import_fingerprints WHERE removed_at IS NOT NULL')
    .get()
  t.deepEqual(marks, { n: 60 })
  t.deepEqual(attentions('unsupported_source'), { n: 1 })
  const left = raw.prepare(
    'SELECT count(*) AS n FROM transcript_messages m WHERE NOT EXISTS (SELECT 1 FROM transcripts t WHERE t.body_id = m.body_id)',
  )
  t.deepEqual(left.get(), { n: 0 })
  t.like(await importText(daemon, { text }), { imported: 60, duplicate: 0, rejected: 0 })
  t.true(existsSync(join(paths.imports, kept.id)))
})

test('purging an agent removes its imports with their files and fingerprints', async t => {
  const daemon = await startDaemon(t)
  const { call, paths } = daemon
  const adapter = { adapter: 'service-export', agentId: 'maya' } as const
  await call('POST /api/memory/remember', { body: { content: 'maya knows a crane', agentId: 'maya' } })
  const job = await importText(daemon, { text, adapter })
  t.true((await found(daemon, { agentId: 'maya' })) > 0)
  const { status } = await call('DELETE /api/agents/:name', {
    params: { name: 'maya' },
    query: { purge: true },
  })
  t.is(status, 200)
  t.is(await found(daemon, { agentId: 'maya' }), 0)
  t.false(existsSync(join(paths.imports, job.id)))
  t.is((await call('GET /api/sources/imports/:jobId', { params: { jobId: job.id } })).status, 404)
  const raw = openRaw(t, paths.database)
  t.deepEqual(raw.prepare('SELECT count(*) AS n FROM transcript_import_fingerprints').get(), { n: 0 })
})

test('after a removal no file of the workspace contains the text: neither database, log nor index', async t => {
  const first = await startDaemon(t)
  // Lengths that share a page, fill several pages, and need overflow pages.
  const said = (word: string, n: number) => [
    `the ${word} is here, ${n}`,
    `${word} `.repeat(1 + ((n * 37) % 900)),
  ]
  const imported = (word: string) => {
    const lines = Array.from({ length: 40 }, (_, n) => exportedLine(`${word[0]}${n}`, said(word, n)))
    return importText(first, { text: lines.join('\n') })
  }
  const [marked] = await Promise.all([imported('zebrafinch'), imported('crane')])
  const { transcriptSnapshot, database } = first.paths
  await first.stop()
  t.true([transcriptSnapshot, database].every(file => readFileSync(file, 'latin1').includes('zebrafinch')))
  const second = await startDaemon(t, { workspace: first.paths.root })
  const { sourceId } = marked
  const remove = () =>
    second.call('DELETE /api/sources/:sourceId', { params: { sourceId: sourceId as string } })
  t.true((await remove()).status < 300)
  await until(async () => (await remove()).status === 404 || undefined)
  const { memoryDir } = second.paths
  t.deepEqual(filesWith(memoryDir, 'zebrafinch'), [], 'while the daemon runs')
  t.true(filesWith(memoryDir, 'crane').length > 0)
  await until(
    () =>
      filesWith(first.paths.root, 'zebrafinch').every(file => basename(file) !== 'MEMORY.md') || undefined,
  )
  await second.stop()
  t.deepEqual(filesWith(first.paths.root, 'zebrafinch'), [])
})

test('recorded transcripts of the removed sessions are removed too, those of other sessions stay', async t => {
  const daemon = await startDaemon(t)
  const said = (word: string) => [`where does the ${word} live?`, 'in the grass']
  const [marked] = await Promise.all(
    ['zebrafinch', 'crane'].map(word => importText(daemon, { text: exportedLine(word, said(word)) })),
  )
  for (const word of ['zebrafinch', 'crane']) {
    const transcript = [...said(word), 'and what does it eat?'].map((text, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      text,
    }))
    await capture(daemon, { harness: 'claude-code', sessionKey: word, project: '/shop', transcript })
  }
  const record = join(daemon.paths.memoryDir, 'claude-code', 'transcripts', 'transcript.jsonl')
  const sessions = () =>
    readFileSync(record, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).sessionKey as string)
  t.deepEqual(sessions(), ['zebrafinch', 'crane'])
  await daemon.call('DELETE /api/sources/:sourceId', { params: { sourceId: marked?.sourceId as string } })
  await until(() => !sessions().includes('zebrafinch') || undefined)
  t.deepEqual(sessions(), ['crane'])
  t.is(
    await transcriptOf(daemon, 'crane'),
    'user: where does the crane live?\n\nassistant: in the grass\n\nuser: and what does it eat?',
  )
})

test('imported conversations stay when their agent is archived, and can still be removed', async t => {
  const daemon = await startDaemon(t)
  const { call, paths } = daemon
  const vault = await call('POST /api/sources/notevault', {
    body: { path: vaultOf(t, { 'a.md': 'a note' }), agentId: 'maya' },
  })
  const adapter = { adapter: 'service-export', agentId: 'maya' } as const
  const job = await importText(daemon, { text, adapter })
  await call('POST /api/memory/remember', { body: { content: 'maya knows a crane', agentId: 'maya' } })
  t.is((await call('DELETE /api/agents/:name', { params: { name: 'maya' } })).status, 200)
  const query = { agentId: 'maya' }
  await until(async () => {
    const params = { sourceId: vault.body.source.id }
    return (await call('GET /api/sources/:sourceId', { params, query })).status === 404 || undefined
  })
  const raw = openRaw(t, paths.database)
  await until(
    () => raw.prepare('SELECT 1 FROM sources WHERE removed_at IS NOT NULL').get() === undefined || undefined,
  )
  t.true((await found(daemon, query)) > 0)
  const content = await fetch(`${daemon.url}/api/sources/imports/${job.id}/files/a.jsonl/content`)
  t.is(content.status, 200)
  t.is((await content.text()).length, text.length)
  const params = { sourceId: job.sourceId ?? '' }
  t.true((await call('DELETE /api/sources/:sourceId', { params, query })).status < 300)
  await until(() => (existsSync(join(paths.imports, job.id)) ? undefined : true))
  t.is(await found(daemon, query), 0)
})
