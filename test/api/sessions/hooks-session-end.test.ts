import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { capture, captured, transcriptOf } from '../../helpers/captures.js'
import { startDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import { openRaw } from '../../helpers/store.js'
import { startTeam } from '../../helpers/team.js'

const fixtures = join(import.meta.dirname, '..', '..', 'fixtures', 'transcripts')
const frozen = { memory: { pipelineV2: { mutationsFrozen: true } } }
const text = 'user: where is the queue?\nassistant: the queue listens on port 5672'

test('session-end stores a cleaned conversation and returns a receipt (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const receipt = await capture(daemon, { sessionKey: 's1', transcript: text, project: '/work/api' })
  t.like(receipt, { sessionKey: 's1', agentId: 'default', status: 'completed', error: null })
  t.is(
    await transcriptOf(daemon, 's1'),
    'user: where is the queue?\n\nassistant: the queue listens on port 5672',
  )
  t.is(await transcriptOf(daemon, 'session:s1'), await transcriptOf(daemon, 's1'))
})

test('the reply names the agent of the receipt when only the session knows it (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  await daemon.call('POST /api/hooks/session-start', {
    body: { harness: 'claude-code', sessionKey: 's1', agentId: 'ada' },
  })
  const { body } = await daemon.call('POST /api/hooks/session-end', {
    body: { harness: 'claude-code', sessionKey: 's1', transcript: text },
  })
  t.is(body.agentId, 'ada')
  const receipt = await captured(daemon, body.transcriptCaptureJobId as string, body.agentId)
  t.like(receipt, { agentId: 'ada', status: 'completed' })
})

test('the receipt never contains the conversation (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const receipt = await capture(daemon, { sessionKey: 's1', transcript: text })
  t.false(JSON.stringify(receipt).includes('queue'))
})

test('an episodic transcript is not a retrieval memory, and creates no summary job (recall.md 1.3.13 and rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  await capture(daemon, { sessionKey: 's1', transcript: text })
  t.deepEqual(await daemon.recall('queue port'), [])
  t.is((await daemon.call('GET /api/memories')).body.stats.total, 0)
  // The daily synthesis comes by itself.
  const own = "SELECT DISTINCT kind FROM jobs WHERE kind <> 'synthesis'"
  t.deepEqual(openRaw(t, daemon.paths.database).prepare(own).pluck().all(), ['transcript-capture'])
})

test('a list of turns is captured, with content or text, and without tool output (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const transcript = [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: [{ type: 'text', text: 'first' }, { type: 'image' }] },
    { role: 'tool', content: 'output' },
    { role: 'assistant', text: 'second' },
  ]
  await capture(daemon, { sessionKey: 's1', transcript })
  t.is(await transcriptOf(daemon, 's1'), 'user: first\n\nassistant: second')
})

test('a transcript is stored exactly as sent: white space, NUL and lone surrogates (rules.md#conventions)', async t => {
  const daemon = await startDaemon(t)
  const said = ' \u0000a\ud800 b\n\n\tc \udfff'
  await capture(daemon, { sessionKey: 's1', transcript: [{ role: 'user', text: said }] })
  t.is(await transcriptOf(daemon, 's1'), `user: ${said}`)
})

test('a harness’s transcript is read from its path (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  for (const [harness, file, last] of [
    ['claude-code', 'claude-code.jsonl', 'assistant: Done: the sum is rounded once, to even.'],
    ['codex', 'codex-rollout.jsonl', 'assistant: Written to docs/queue.md.'],
    ['copilot', 'copilot.jsonl', 'assistant: Done: the sum is rounded once.'],
    ['gemini', 'gemini-chat.json', 'user: Good "work" \\ {done}'],
  ] as const) {
    const receipt = await capture(daemon, {
      harness,
      sessionKey: harness,
      transcriptPath: join(fixtures, file),
    })
    t.is(receipt.status, 'completed')
    t.true((await transcriptOf(daemon, harness))?.endsWith(last), harness)
  }
})

test('the canonical transcript is written as JSON lines that only its owner can read (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  const capturedAt = '2026-01-02T03:04:05.000Z'
  await capture(daemon, { harness: '../Evil Harness', sessionKey: 's1', transcript: text, capturedAt })
  await capture(daemon, { sessionKey: 's2', transcript: text, capturedAt })
  const file = join(daemon.paths.memoryDir, 'claude-code', 'transcripts', 'transcript.jsonl')
  const lines = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  t.like(lines[0], {
    sessionKey: 's2',
    agentId: 'default',
    position: 0,
    role: 'user',
    text: 'where is the queue?',
    capturedAt,
  })
  t.like(lines[1], { position: 1, role: 'assistant' })
  t.is(lines.length, 2)
  t.is(statSync(file).mode & 0o777, 0o600)
  const folders = readdirSync(daemon.paths.memoryDir).filter(name => !name.startsWith('memories.db'))
  t.is(folders.length, 2)
  t.true(
    folders.every(name => /^[a-z0-9-]+$/.test(name)),
    'a harness name cannot leave the folder',
  )
})

test('session-end releases the runtime path, also for a bypassed session (rules.md 3.3)', async t => {
  const { call, daemon } = await startDaemon(t)
  const name = { agentId: 'default', sessionKey: 's1' }
  for (const bypassed of [false, true]) {
    await call('POST /api/hooks/session-start', {
      body: { harness: 'codex', sessionKey: 's1', runtimePath: 'plugin' },
    })
    await daemon.store.tables.sessions.setBypassed(name, bypassed)
    const other = await call('POST /api/hooks/session-end', {
      body: { harness: 'codex', sessionKey: 's1', runtimePath: 'legacy', transcript: text },
    })
    t.is(other.status, 409)
    const { body } = await call('POST /api/hooks/session-end', {
      body: { harness: 'codex', sessionKey: 's1', runtimePath: 'plugin', transcript: text },
    })
    t.is(body.bypassed, bypassed || undefined)
    t.is(body.transcriptCaptureJobId === undefined, bypassed)
    t.like(await daemon.store.tables.sessions.find(name), { runtime_path: null, expires_at: null })
  }
})

test('while mutations are frozen a session ends and nothing is captured (rules.md#kill-switch)', async t => {
  const daemon = await startDaemon(t, { settings: frozen })
  const { status, body } = await daemon.call('POST /api/hooks/session-end', {
    body: { harness: 'codex', sessionKey: 's1', transcript: text, reason: 'clear' },
  })
  t.is(status, 200)
  t.deepEqual(body, { success: true, transcript: 'frozen' })
  const raw = openRaw(t, daemon.paths.database)
  for (const table of ['transcript_captures', 'transcripts', 'jobs', 'telemetry_events'])
    t.is(raw.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), 0, table)
})

test('a session without text ends without a job (rules.md 4.10)', async t => {
  const { call, paths } = await startDaemon(t)
  const end = async (fields: object) =>
    (await call('POST /api/hooks/session-end', { body: { harness: 'codex', sessionKey: 's1', ...fields } }))
      .body
  t.deepEqual(await end({}), { success: true, transcript: 'none' })
  t.deepEqual(await end({ transcript: 'user: <private>all of it</private>' }), {
    success: true,
    transcript: 'empty',
  })
  t.deepEqual(await end({ transcriptPath: join(paths.root, 'gone.jsonl') }), {
    success: true,
    transcript: 'missing',
  })
})

test('relative paths, non-regular files and workspace files are refused, and the claim is released (rules.md 3.3 and 4.10)', async t => {
  const { call, paths, daemon } = await startDaemon(t)
  const link = join(temporaryWorkspace(t), 'link.jsonl')
  symlinkSync(paths.database, link)
  for (const transcriptPath of [
    'notes.jsonl',
    '~/notes.jsonl',
    paths.root,
    paths.database,
    link,
    '/dev/zero',
  ]) {
    await call('POST /api/hooks/session-start', {
      body: { harness: 'codex', sessionKey: 's1', runtimePath: 'plugin' },
    })
    const { status, body } = await call('POST /api/hooks/session-end', {
      body: { harness: 'codex', sessionKey: 's1', transcriptPath },
    })
    t.is(status, 400, transcriptPath)
    t.regex(body.error ?? '', /transcriptPath/)
    const row = await daemon.store.tables.sessions.find({ agentId: 'default', sessionKey: 's1' })
    t.like(row, { runtime_path: null, expires_at: null })
  }
})

test('a credential may name only transcripts of harnesses, an admin any file (rules.md 4.10)', async t => {
  const home = temporaryWorkspace(t)
  const outside = join(temporaryWorkspace(t), 'secret.jsonl')
  const folder = join(home, 'projects')
  mkdirSync(folder)
  const line = JSON.stringify({ role: 'user', text: 'hello harbour' })
  for (const file of [outside, join(folder, 'a.jsonl'), join(folder, 'a.env')]) writeFileSync(file, line)
  symlinkSync(outside, join(folder, 'link.jsonl'))
  const team = await startTeam(t, { environment: { CLAUDE_CONFIG_DIR: home } })
  const agent = team.token({ role: 'agent' })
  const send = async (transcriptPath: string, headers = agent) => {
    const body = { harness: 'claude-code', sessionKey: 's1', transcriptPath }
    return (await team.call('POST /api/hooks/session-end', { body, headers })).status
  }
  for (const path of [outside, join(folder, 'a.env'), join(folder, 'link.jsonl'), '/gone/x.jsonl'])
    t.is(await send(path), 400, path)
  t.is(await send(join(folder, 'a.jsonl')), 200)
  t.is(await send(outside, team.admin), 200)
})

test('a file without a conversation fails with a reason and is not retried', async t => {
  const daemon = await startDaemon(t)
  const file = join(temporaryWorkspace(t), 'shopping.txt')
  writeFileSync(file, 'milk\nbread\nhttp://example.com: a link\n')
  const receipt = await capture(daemon, { sessionKey: 's1', transcriptPath: file })
  t.like(receipt, { status: 'failed', error: 'the file contains no conversation in a known format' })
  t.is(await transcriptOf(daemon, 's1'), undefined)
})

test('a session is named by sessionKey, else by sessionId, else by the submitted data', async t => {
  const daemon = await startDaemon(t)
  t.is((await capture(daemon, { sessionKey: 'a', sessionId: 'b', transcript: text })).sessionKey, 'a')
  t.is((await capture(daemon, { sessionId: 'b', transcript: text })).sessionKey, 'b')
  const first = await capture(daemon, { transcript: text })
  t.regex(first.sessionKey, /^unnamed-[0-9a-f]{16}$/)
  t.is((await capture(daemon, { transcript: text })).sessionKey, first.sessionKey)
})

test('an importer supplies the original time (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  await capture(daemon, { sessionKey: 'old', transcript: text, capturedAt: '2025-05-05T05:05:05Z' })
  const { body } = await daemon.call('GET /api/sessions/:key/transcript', { params: { key: 'old' } })
  t.is(body.capturedAt, '2025-05-05T05:05:05.000Z')
  const row = await daemon.daemon.store.tables.sessions.find({ agentId: 'default', sessionKey: 'old' })
  t.like(row, {
    started_at: '2025-05-05T05:05:05.000Z',
    ended_at: '2025-05-05T05:05:05.000Z',
    captured_at: '2025-05-05T05:05:05.000Z',
  })
})

test('a conversation dated in the future gets the current time (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  await capture(daemon, { sessionKey: 's1', transcript: text, capturedAt: '2999-01-01' })
  const { body } = await daemon.call('GET /api/sessions/summaries')
  t.true(body.summaries[0]!.ends_at <= new Date().toISOString())
})

test('recognised reasons count one session.end per life of a session, all others a session.turn (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  for (const reason of ['logout', 'clear', 'session_shutdown', undefined])
    await daemon.call('POST /api/hooks/session-end', {
      body: { harness: 'codex', sessionKey: 'raw-key', reason },
    })
  const events = openRaw(t, daemon.paths.database)
    .prepare('SELECT event, properties FROM telemetry_events ORDER BY id')
    .all() as { event: string; properties: string }[]
  t.deepEqual(
    events.map(({ event }) => event),
    ['session.turn', 'session.end', 'session.turn', 'session.turn'],
  )
  t.false(JSON.stringify(events).includes('raw-key'), 'the key is hashed (rules.md 6)')
  t.is(new Set(events.map(({ properties }) => JSON.parse(properties).session)).size, 1)
})

test('recorded events are also written to a file that only its owner can read (rules.md 6)', async t => {
  const now = '2026-03-01T12:00:00.000Z'
  const daemon = await startDaemon(t, { clock: () => new Date(now) })
  for (const reason of ['clear', undefined])
    await daemon.call('POST /api/hooks/session-end', { body: { harness: 'codex', sessionKey: 'k', reason } })
  const file = join(daemon.paths.daemonDir, 'telemetry', 'events.jsonl')
  const events = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as { event: string; properties: { reason: unknown }; timestamp: string })
  t.deepEqual(
    events.map(({ event, properties: { reason }, timestamp }) => [event, reason, timestamp]),
    [
      ['session.end', 'clear', now],
      ['session.turn', null, now],
    ],
  )
  if (process.platform !== 'win32') t.is(statSync(file).mode & 0o777, 0o600)
})

test('a session ends even if its event cannot be written to the file', async t => {
  const daemon = await startDaemon(t)
  mkdirSync(daemon.paths.telemetryEvents, { recursive: true })
  const { status } = await daemon.call('POST /api/hooks/session-end', {
    body: { harness: 'codex', sessionKey: 'k' },
  })
  t.is(status, 200)
})

for (const [what, options] of [
  ['SERVICE_TELEMETRY_OPTOUT=1', { environment: { SERVICE_TELEMETRY_OPTOUT: '1' } }],
  ['telemetryEnabled false', { settings: { memory: { pipelineV2: { telemetryEnabled: false } } } }],
] as const)
  test(`${what} records no event, and still captures (rules.md 6)`, async t => {
    const daemon = await startDaemon(t, options)
    await capture(daemon, { sessionKey: 's1', transcript: text, reason: 'clear' })
    t.is(openRaw(t, daemon.paths.database).prepare('SELECT count(*) FROM telemetry_events').pluck().get(), 0)
    t.false(existsSync(daemon.paths.telemetryEvents))
  })

test('a capture creates a summary node of the session from its first request and last answers', async t => {
  const daemon = await startDaemon(t)
  await capture(daemon, { sessionKey: 's1', transcript: `${text}\nuser: thanks\nassistant: you are welcome` })
  const [node] = await daemon.daemon.store.tables.summaryNodes.newest({ agentId: 'default' }, 5)
  t.like(node, { kind: 'session', depth: 0, source_type: 'transcript', source_ref: 's1' })
  t.is(
    node?.content,
    'Asked: where is the queue?\n\nAnswered: the queue listens on port 5672\n\nAnswered: you are welcome',
  )
})

test('an unknown receipt, or one of another agent, is not found', async t => {
  const daemon = await startDaemon(t)
  const receipt = await capture(daemon, { sessionKey: 's1', agentId: 'ada', transcript: text })
  for (const [jobId, agentId] of [
    ['nothing', 'ada'],
    [receipt.id, 'bob'],
  ] as const) {
    const { status } = await daemon.call('GET /api/hooks/transcript-capture/:jobId', {
      params: { jobId },
      query: { agentId },
    })
    t.is(status, 404)
  }
  t.is((await captured(daemon, receipt.id, 'ada')).status, 'completed')
})

test('the service’s own programs capture nothing', async t => {
  const { call } = await startDaemon(t)
  const { body } = await call('POST /api/hooks/session-end', {
    body: { harness: 'codex', sessionKey: 's1', transcript: text },
    headers: { 'x-service-no-hooks': '1' },
  })
  t.deepEqual(body, { success: true, transcript: 'none', internal: true })
})
