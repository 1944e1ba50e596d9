import test from 'ava'
import { captured, transcriptOf } from '../../helpers/captures.js'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import {
  beginImport,
  exportedLine,
  importReaching,
  importText,
  sealFile,
} from '../../helpers/transcript-imports.js'

test('every record is imported once, a duplicate, or rejected with its reason', async t => {
  const daemon = await startDaemon(t)
  const line = (fields: object) => exportedLine('bad', ['hello'], fields)
  const faulty: [string, string][] = [
    ['{"messages": [', 'malformed_json'],
    ['"a text"', 'malformed_json'],
    [line({ source: 'other' }), 'unknown_source'],
    [line({ version: 2 }), 'unknown_source'],
    [line({ messages: undefined }), 'missing_messages'],
    [line({ messages: [], messageCount: 0 }), 'missing_messages'],
    [line({ messages: 'none' }), 'missing_messages'],
    [line({ messageCount: 2 }), 'count_mismatch'],
    [line({ messages: ['hello'] }), 'invalid_message'],
    [line({ messages: [{ role: 'user' }] }), 'invalid_message'],
    [line({ messages: [{ role: 'wizard', text: 'x' }] }), 'unknown_role'],
    [line({ messages: [{ role: 'user', text: 'x', at: 'yesterday' }] }), 'invalid_timestamp'],
    [line({ capturedAt: '2026-02-31' }), 'invalid_timestamp'],
    [line({ sessionKey: 7 }), 'invalid_identity'],
    [line({ messages: [{ role: 'user', text: 'x'.repeat(4 * 1024 * 1024 + 1) }] }), 'message_too_large'],
    [exportedLine('one', ['another conversation', 'of one name']), 'conversation_identity_conflict'],
  ]
  const text = [
    exportedLine('one', ['where is the harbour crane', 'at the quay']),
    '',
    '   ',
    exportedLine('one', ['where is the harbour crane', 'at the quay']),
    ...faulty.map(([record]) => record),
    `{"messages":[{"role":"user","text":"${'y'.repeat(16 * 1024 * 1024)}"}]}`,
    // The file has no final line break.
    exportedLine('two', ['which colour', 'red']),
  ].join('\n')
  const job = await importText(daemon, { text })
  t.like(job, { state: 'completed', total: 20, imported: 2, duplicate: 1, rejected: 17, pending: 0 })
  const params = { jobId: job.id }
  const { body } = await daemon.call('GET /api/sources/imports/:jobId/rejections', { params })
  t.deepEqual(
    body.rejections.map(({ line, reason }) => [line, reason]),
    [...faulty.map(([, reason], at) => [at + 5, reason]), [21, 'record_too_large']],
  )
  t.is(body.nextCursor, null)
  const { body: sums } = await daemon.call('GET /api/sources/imports/:jobId/reconciliation', { params })
  t.deepEqual(sums.reconciliation, [
    { status: 'imported', count: 2 },
    { status: 'duplicate', count: 1 },
    { status: 'rejected', count: 17 },
    { status: 'pending', count: 0 },
  ])
})

test('an import yields to requests, and finishes even if one of them lasts (imports.md#states)', async t => {
  const daemon = await startDaemon(t)
  const { requestsInFlight } = daemon.daemon
  const { quiet } = requestsInFlight
  let askedForQuiet = 0
  requestsInFlight.quiet = signal => {
    askedForQuiet++
    return quiet(signal)
  }
  const leave = requestsInFlight.enter()
  const text = Array.from({ length: 30 }, (_, n) => exportedLine(`s${n}`, ['which colour', 'red'])).join('\n')
  t.like(await importText(daemon, { text }), { state: 'completed', imported: 30 })
  t.true(askedForQuiet > 0)
  leave()
  t.true(requestsInFlight.isQuiet(), 'answered requests no longer count as running')
})

test('imported conversations can be searched and read like captured ones, with roles, project and time', async t => {
  const daemon = await startDaemon(t)
  const messages = [
    { role: 'system', text: '  be brief\n' },
    { role: 'user', text: 'which colour has the harbour crane?\t', at: '2024-05-06T07:08:09+02:00' },
    { role: 'tool', text: '' },
    { role: 'unknown', text: 'a lone half \ud83d' },
    { role: 'assistant', text: 'it is red <private>and secret</private>' },
  ]
  const text = exportedLine('s1', [], { messages, messageCount: 5, agentId: 'somebody' })
  const adapter = { adapter: 'service-export', agentId: 'maya' } as const
  const job = await importText(daemon, { text, adapter })
  t.like(job, { imported: 1, messages: 5, agentId: 'maya' })
  const query = 'colour of the crane'
  const { body } = await daemon.call('POST /api/sessions/search', { body: { query, agentId: 'maya' } })
  t.like(body.hits[0], { sessionKey: 's1', project: '/shop', updatedAt: '2026-01-02T03:04:05.000Z' })
  t.is((await daemon.call('POST /api/sessions/search', { body: { query } })).body.count, 0, 'other agents')
  t.is(
    await transcriptOf(daemon, 's1', 'maya'),
    'system:   be brief\n\n\nuser: which colour has the harbour crane?\t\n\ntool: \n\nunknown: a lone half \ud83d\n\nassistant: it is red ',
  )
  const summaries = await daemon.call('GET /api/sessions/summaries', { query: { agentId: 'maya' } })
  t.like(summaries.body.summaries[0], { session_key: 's1', starts_at: '2024-05-06T05:08:09.000Z' })
})

test('importing again yields duplicates, and a session captured here is not doubled', async t => {
  const daemon = await startDaemon(t)
  const transcript = 'user: where is the crane\nassistant: at the quay'
  const end = await daemon.call('POST /api/hooks/session-end', {
    body: { harness: 'codex', sessionKey: 'live', transcript },
  })
  await captured(daemon, end.body.transcriptCaptureJobId ?? '')
  const text = [
    exportedLine('s1', ['one', 'two']),
    exportedLine('live', ['where is the crane', 'at the quay']),
  ].join('\n')
  t.like(await importText(daemon, { text }), { imported: 1, duplicate: 1, rejected: 0 })
  t.like(await importText(daemon, { text }), { imported: 0, duplicate: 2, rejected: 0 })
  const other = exportedLine('live', ['something else', 'altogether'])
  t.like(await importText(daemon, { text: other }), { imported: 0, rejected: 1 })
  t.is(await transcriptOf(daemon, 'live'), 'user: where is the crane\n\nassistant: at the quay')
})

test('rejections are listed in pages of a hundred', async t => {
  const daemon = await startDaemon(t)
  const { id } = await importText(daemon, { text: 'no json\n'.repeat(250) })
  const page = async (cursor: string) =>
    (
      await daemon.call('GET /api/sources/imports/:jobId/rejections', {
        params: { jobId: id },
        query: { cursor },
      })
    ).body
  const lines: number[] = []
  const sizes: number[] = []
  for (let cursor: string | null = '0'; cursor !== null; ) {
    const { rejections, count, nextCursor } = await page(cursor)
    lines.push(...rejections.map(({ line }) => line))
    sizes.push(count)
    cursor = nextCursor
  }
  t.deepEqual(sizes, [100, 100, 50])
  t.deepEqual(
    lines,
    [...lines.keys()].map(at => at + 1),
  )
})

test('an import can be paused, resumed and cancelled, and its counts stay consistent', async t => {
  const daemon = await startDaemon(t)
  const jobId = await beginImport(daemon)
  const control = async (what: 'start' | 'pause' | 'resume' | 'retry' | 'cancel') => {
    const { body } = await daemon.call(`POST /api/sources/imports/:jobId/${what}`, { params: { jobId } })
    t.is(body.total, body.imported + body.duplicate + body.rejected + body.pending)
    return `${body.state} ${body.changed}`
  }
  t.is((await daemon.call('POST /api/sources/imports/:jobId/start', { params: { jobId } })).status, 409)
  const text = Array.from({ length: 120 }, (_, n) => exportedLine(`s${n}`, ['one', `two ${n} `.repeat(400)]))
  await sealFile(daemon, { jobId, bytes: Buffer.from(text.join('\n')) })
  t.is(await control('resume'), 'staging false')
  t.is(await control('retry'), 'staging false')
  t.is(await control('start'), 'queued true')
  t.regex(await control('start'), /false$/)
  t.is(await control('pause'), 'paused true')
  t.is(await control('pause'), 'paused false')
  t.is(await control('start'), 'paused false')
  t.is(await control('resume'), 'queued true')
  await importReaching(daemon, jobId, ['active'])
  t.regex(await control('pause'), /paused true|completed false/)
  const { body: paused } = await daemon.call('GET /api/sources/imports/:jobId', { params: { jobId } })
  t.is(paused.total, paused.imported + paused.duplicate + paused.rejected + paused.pending)
  await control('resume')
  const done = await importReaching(daemon, jobId, ['completed'])
  t.like(done, { total: 120, imported: 120, duplicate: 0, rejected: 0, pending: 0, messages: 240 })
  t.is(await control('cancel'), 'completed false')
  const second = await beginImport(daemon)
  const params = { jobId: second }
  t.true((await daemon.call('POST /api/sources/imports/:jobId/cancel', { params })).body.changed)
  t.false((await daemon.call('POST /api/sources/imports/:jobId/cancel', { params })).body.changed)
  t.like((await daemon.call('POST /api/sources/imports/:jobId/pause', { params })).body, {
    state: 'cancelled',
    changed: false,
  })
})

test('imports run one at a time, the first started first', async t => {
  const daemon = await startDaemon(t)
  const ids = await Promise.all(['a', 'b'].map(() => beginImport(daemon)))
  for (const [at, jobId] of ids.entries()) {
    const lines = Array.from({ length: 30 }, (_, n) =>
      exportedLine(`${at}-${n}`, ['one', 'crane '.repeat(300)]),
    )
    await sealFile(daemon, { jobId, bytes: Buffer.from(lines.join('\n')) })
  }
  for (const jobId of ids) await daemon.call('POST /api/sources/imports/:jobId/start', { params: { jobId } })
  const seen = new Set<string>()
  await until(async () => {
    const { jobs } = (await daemon.call('GET /api/sources/imports')).body
    const states = ids.map(id => jobs.find(job => job.id === id)?.state)
    seen.add(states.join(' '))
    return states.every(state => state === 'completed') || undefined
  })
  t.true(seen.has('active queued'), [...seen].join(', '))
  t.false(seen.has('active active') || seen.has('queued active'), [...seen].join(', '))
})

test('an import belongs to one agent: others cannot find it, and a list shows only one’s own', async t => {
  const daemon = await startDaemon(t)
  const jobId = await beginImport(daemon, { adapter: 'service-export', agentId: 'maya' })
  const params = { jobId }
  const get = (query: object) =>
    daemon.call('GET /api/sources/imports/:jobId', { params, query: query as never })
  t.is((await get({ agentId: 'noor' })).status, 404)
  t.is((await get({ agentId: 'maya' })).status, 200)
  t.is((await get({})).status, 200)
  for (const step of ['start', 'pause', 'resume', 'retry', 'cancel'] as const)
    t.is(
      (await daemon.call(`POST /api/sources/imports/:jobId/${step}`, { params, body: { agentId: 'noor' } }))
        .status,
      404,
    )
  const list = async (query: object) =>
    (await daemon.call('GET /api/sources/imports', { query: query as never })).body.jobs.map(({ id }) => id)
  t.deepEqual(await list({ agentId: 'maya' }), [jobId])
  t.deepEqual(await list({}), [])
  t.is((await daemon.call('GET /api/sources/imports/:jobId', { params: { jobId: 'none' } })).status, 404)
  for (const body of [{ adapter: 'other' }, { adapter: 'service-export', adapterVersion: 2 }])
    t.is((await daemon.call('POST /api/sources/imports', { body: body as never })).status, 400)
})

test('an export imports elsewhere to the same bytes, and filters select its contents', async t => {
  const [first, second] = await Promise.all([startDaemon(t), startDaemon(t)])
  const exported = async ({ url }: { url: string }, query = '') => {
    const reply = await fetch(`${url}/api/sources/imports/export/transcripts?${query}`)
    t.is(reply.status, 200)
    return reply.text()
  }
  const at = '2026-01-01T10:00:00.000Z'
  const messages = [
    { role: 'user', text: ' a\u0000b \ud800 c\r\n', at },
    { role: 'tool', text: '"quoted" \\ 👩‍🚀' },
  ]
  const text = [
    exportedLine('b', [], { messages, messageCount: 2, project: null }),
    exportedLine('a', ['one', 'two'], { capturedAt: '2025-01-02T03:04:05Z', harness: 'codex' }),
    exportedLine('c', ['three '.repeat(100_000), 'four']),
  ].join('\n')
  t.like(await importText(first, { text }), { imported: 3 })
  const whole = await exported(first)
  const keys = (lines: string) =>
    lines
      .split('\n')
      .flatMap(line => (line === '' ? [] : [(JSON.parse(line) as { sessionKey: string }).sessionKey]))
  t.deepEqual(keys(whole), ['a', 'b', 'c'])
  t.like(await importText(second, { text: whole }), { imported: 3, rejected: 0 })
  t.is(await exported(second), whole)
  t.like(await importText(first, { text: whole }), { duplicate: 3 })
  t.deepEqual(keys(await exported(first, 'harness=codex')), ['a'])
  t.deepEqual(keys(await exported(first, 'since=2026-01-01')), ['b', 'c'])
  t.deepEqual(keys(await exported(first, 'until=2026-01-01&agentId=default')), ['a'])
  t.deepEqual(keys(await exported(first, 'limit=1&offset=1')), ['b'])
  t.is(await exported(first, 'agentId=maya'), '')
  const list = JSON.parse(await exported(first, 'json=true&limit=2')) as object[]
  t.like(list, [
    { sessionKey: 'a', messageCount: 2 },
    { sessionKey: 'b', messages },
  ])
  const alone = JSON.parse(await exported(first, 'messagesOnly=true&limit=1')) as object
  t.deepEqual(alone, {
    sessionKey: 'a',
    messages: [
      { role: 'user', text: 'one' },
      { role: 'assistant', text: 'two' },
    ],
  })
  t.is((await fetch(`${first.url}/api/sources/imports/export/transcripts?since=never`)).status, 400)
})
