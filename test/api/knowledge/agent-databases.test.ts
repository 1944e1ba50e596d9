import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { sessionLogsAt } from '../../../src/cli/sessions/session-logs.js'
import type { LogAdapter } from '../../../src/contract/knowledge/import-adapters.js'
import Driver from '../../../src/store/sqlite/connection/driver.js'
import { startDaemon } from '../../helpers/daemon.js'
import { temporaryFolder } from '../../helpers/temporary-folder.js'
import { beginImport, importReaching, sealFile } from '../../helpers/transcript-imports.js'

/** Imports what a program keeps at a path, as `memory import transcripts --from` does. */
async function importFrom(t: ExecutionContext, from: LogAdapter, path: string) {
  const logs = await sessionLogsAt([path], { from, since: undefined, named: true })
  const daemon = await startDaemon(t)
  const jobId = await beginImport(daemon, { adapter: from, adapterVersion: 1 })
  for (const { path: file, fileId } of logs)
    await sealFile(daemon, { jobId, fileId, bytes: readFileSync(file) })
  await daemon.call('POST /api/sources/imports/:jobId/start', { params: { jobId } })
  const job = await importReaching(daemon, jobId)
  const leftOut = Object.fromEntries(job.leftOut.map(({ kind, count }) => [kind, count]))
  const said = async (key: string) =>
    (await daemon.call('GET /api/sessions/:key/transcript', { params: { key } })).body.content
  return { logs, job, leftOut, said }
}

/** A database as its program has it open: the last rows are in the log beside it. */
function openOther(t: ExecutionContext, file: string, tables: string) {
  mkdirSync(dirname(file), { recursive: true })
  const db = new Driver(file)
  t.teardown(() => db.close())
  db.pragma('journal_mode = WAL')
  db.pragma('wal_autocheckpoint = 0')
  db.exec(tables)
  return db
}

const text = (words: string) => ({ type: 'text', text: words })

const openCodeKinds = [
  { from: 'opencode', title: 'OpenCode' },
  { from: 'kilo', title: 'Kilo Code' },
] as const

for (const { from, title } of openCodeKinds)
  test(`sessions of ${title} come from its database, without sub-agents and its own parts (transcripts.md)`, async t => {
    const folder = temporaryFolder(t, from)
    const db = openOther(
      t,
      join(folder, `${from}.db`),
      `CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text NOT NULL, title text,
       time_created integer, time_updated integer, extra text);
     CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text);
     CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, data text);`,
    )
    const session = db.prepare(
      "INSERT INTO session VALUES (?, ?, '/work/heron', 'Herons', 1795982000000, 1795982009000, NULL)",
    )
    session.run('ses_1', null)
    session.run('ses_2', 'ses_1')
    const message = db.prepare("INSERT INTO message VALUES (?, 'ses_1', ?, ?)")
    message.run('m1', 1, JSON.stringify({ role: 'user', time: { created: 1795982001000 } }))
    message.run('m2', 2, JSON.stringify({ role: 'assistant', time: { created: 1795982002000 } }))
    message.run('m3', 3, 'no json')
    message.run('m4', 4, JSON.stringify({ role: 'assistant', summary: true }))
    const part = db.prepare("INSERT INTO part VALUES (?, ?, 'ses_1', ?)")
    part.run('p1', 'm1', JSON.stringify(text('Where do herons nest?')))
    part.run('p2', 'm1', JSON.stringify({ ...text('added by the program'), synthetic: true }))
    part.run('p3', 'm2', JSON.stringify({ type: 'tool', tool: 'bash', state: { output: 'of a tool' } }))
    part.run('p4', 'm2', JSON.stringify(text('In tall trees.')))
    part.run('p5', 'm2', '{ broken')
    part.run('p6', 'm4', JSON.stringify(text('A summary of the session.')))
    const before = readdirSync(folder).sort()
    const { logs, job, leftOut, said } = await importFrom(t, from, folder)
    t.deepEqual(readdirSync(folder).sort(), before)
    t.like(logs, [{ sessionKey: 'ses_1', onlyGrows: false }])
    t.like(job, { state: 'completed', imported: 1, messages: 2, rejected: 0 })
    t.deepEqual(leftOut, { odd_messages: 1, odd_parts: 1 })
    t.is(await said('ses_1'), 'user: Where do herons nest?\n\nassistant: In tall trees.')
  })

test('sessions of Hermes Agent come from its database, without summaries and turns taken back (transcripts.md)', async t => {
  const folder = temporaryFolder(t, 'hermes')
  const db = openOther(
    t,
    join(folder, 'profiles', 'work', 'state.db'),
    `CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, cwd TEXT, started_at REAL, ended_at REAL);
     CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
       timestamp REAL NOT NULL, active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0);`,
  )
  const key = '20261129_190000_abc'
  const session = db.prepare('INSERT INTO sessions VALUES (?, ?, ?, 1795982000, NULL)')
  session.run(key, 'cli', '/work/heron')
  session.run('20261129_190001_def', 'tool', null)
  const add = db.prepare('INSERT INTO messages VALUES (NULL, ?, ?, ?, 1795982001.5, ?, ?)')
  const say = (role: string, content: string | null, { active = 1, compacted = 0 } = {}) =>
    add.run(key, role, content, active, compacted)
  say('session_meta', '{}')
  say('user', 'an old question', { active: 0, compacted: 1 })
  say('user', 'taken back', { active: 0 })
  say('user', '[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted')
  say('assistant', null)
  say('tool', 'output of a tool')
  const parts = [text('What is in the picture?'), { type: 'image_url', image_url: {} }]
  say('user', `\0json:${JSON.stringify(parts)}`)
  say('assistant', 'A heron.')
  const { logs, job, said } = await importFrom(t, 'hermes-agent', folder)
  t.is(logs.length, 1)
  t.like(job, { state: 'completed', imported: 1, messages: 3 })
  const turns = ['user: an old question', 'user: What is in the picture?', 'assistant: A heron.']
  t.is(await said(key), turns.join('\n\n'))
})

test('a compaction of Hermes Agent, which copies messages, adds none (transcripts.md)', async t => {
  const folder = temporaryFolder(t, 'hermes')
  const db = openOther(
    t,
    join(folder, 'state.db'),
    `CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, cwd TEXT, started_at REAL, ended_at REAL);
     CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
       timestamp REAL NOT NULL, active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0);`,
  )
  const key = '20261129_190000_abc'
  db.prepare("INSERT INTO sessions VALUES (?, 'cli', '/work/heron', 1795982000, NULL)").run(key)
  const add = db.prepare('INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, 0, 1)')
  let time = 1795982001
  const say = (...contents: string[]) => {
    for (const content of contents) add.run(key, /\?$/u.test(content) ? 'user' : 'assistant', content, time++)
  }
  const summary = '[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted:\nTwo questions.'
  const merged = (before: string) =>
    `[PRIOR CONTEXT — for reference only; not a new message]\n${before}\n\n[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]\n\n${summary}`
  say('Nests?', 'In trees.', 'Food?', 'Fish.', 'Why?', 'It is near.')
  say('Nests?', 'In trees.', summary, 'Why?', 'It is near.', 'Size?', 'One metre.')
  say('Nests?', 'In trees.', merged('It is near.'), 'Size?', 'One metre.', 'Nests?', 'In trees.')
  const { job, said } = await importFrom(t, 'hermes-agent', folder)
  t.like(job, { state: 'completed', imported: 1, messages: 10 })
  const contents = 'Nests?|In trees.|Food?|Fish.|Why?|It is near.|Size?|One metre.|Nests?|In trees.'.split(
    '|',
  )
  const turns = contents.map(each => `${each.endsWith('?') ? 'user' : 'assistant'}: ${each}`)
  t.is(await said(key), turns.join('\n\n'))
})

test('sessions of OpenClaw come from the database of each agent (transcripts.md)', async t => {
  const folder = temporaryFolder(t, 'openclaw')
  const db = openOther(
    t,
    join(folder, 'main', 'agent', 'openclaw-agent.sqlite'),
    `CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, updated_at INTEGER, spawned_by TEXT);
     CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, event_zstd BLOB);`,
  )
  const id = 'aaaaaaaa-0000-4000-8000-000000000000'
  const session = db.prepare('INSERT INTO session_windows VALUES (?, ?, 1795982000000, NULL)')
  session.run(id, 'agent:main:main')
  session.run('sub', 'agent:main:subagent:1')
  const add = db.prepare('INSERT INTO transcript_events VALUES (?, ?, ?, ?)')
  const said = (event: object) => add.run(id, 1, JSON.stringify(event), null)
  said({ type: 'session', version: 3, id, cwd: '/work/heron' })
  said({
    type: 'message',
    id: 'a',
    parentId: null,
    message: { role: 'user', content: 'Where do herons nest?' },
  })
  const answer = (words: string) => ({ role: 'assistant', content: [text(words)] })
  said({ type: 'message', id: 'b', parentId: 'a', message: answer('In reeds.') })
  add.run(id, 1, null, Buffer.from('damaged'))
  said({ type: 'message', id: 'c', parentId: 'a', message: answer('In trees.') })
  const imported = await importFrom(t, 'openclaw', folder)
  t.like(imported.job, { state: 'completed', imported: 1, messages: 2 })
  t.deepEqual(imported.leftOut, { unreadable_lines: 1 })
  t.is(await imported.said(id), 'user: Where do herons nest?\n\nassistant: In trees.')
})

test.serial('many databases leave one folder to remove at the end, for its owner alone', async t => {
  const folder = temporaryFolder(t, 'openclaw')
  for (let agent = 0; agent < 12; agent++) {
    const db = openOther(
      t,
      join(folder, 'agents', `a${agent}`, 'openclaw-agent.sqlite'),
      `CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, updated_at INTEGER, spawned_by TEXT);
     CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, event_zstd BLOB);`,
    )
    db.prepare("INSERT INTO session_windows VALUES (?, 'agent', 1795982000000, NULL)").run(`s${agent}`)
  }
  const before = process.listenerCount('exit')
  const logs = await sessionLogsAt([folder], { from: 'openclaw', since: undefined, named: true })
  t.is(logs.length, 12)
  t.true(process.listenerCount('exit') - before <= 1)
  const above = dirname(dirname(logs[0]?.path ?? ''))
  if (process.platform !== 'win32') t.is(statSync(above).mode & 0o777, 0o700)
})

test('sessions of Cline and tasks of its extension are read without what the program adds (transcripts.md)', async t => {
  const folder = temporaryFolder(t, 'cline')
  const write = (path: string, value: unknown) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), JSON.stringify(value, null, 2))
  }
  const key = '1795982629213_k1tvw'
  write(`sessions/${key}/${key}.json`, { session_id: key, cwd: '/work/heron' })
  const asked = text('<user_input mode="act">Where do herons nest?</user_input>')
  write(`sessions/${key}/${key}.messages.json`, {
    version: 1,
    updated_at: '2026-11-29T20:03:53.136Z',
    agent: 'lead',
    sessionId: key,
    origin: { source: 'cli', sessionId: key },
    messages: [
      { id: '1', role: 'user', content: [asked], ts: 1795982631491 },
      'odd',
      { id: '2', role: 'assistant', content: [text('In trees.')], ts: 1795982632864 },
    ],
    system_prompt: 'You are Cline',
  })
  const environment = text('<environment_details>\n# Files\n</environment_details>')
  const call = { type: 'tool_use', name: 'read_file', input: {} }
  write('tasks/1700000000001/ui_messages.json', [])
  write('tasks/1700000000001/api_conversation_history.json', [
    { role: 'user', content: [text('<task>\nCount the herons\n</task>'), environment] },
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm' }, text('I look.'), call] },
    { role: 'user', content: [text("[read_file for 'a.txt'] Result:"), text('three herons'), environment] },
    { role: 'assistant', content: [text('Three.')] },
  ])
  const { logs, job, leftOut, said } = await importFrom(t, 'cline', folder)
  t.deepEqual(logs.map(({ sessionKey }) => sessionKey).sort(), ['1700000000001', key])
  t.is(logs.find(log => log.sessionKey === key)?.folder, '/work/heron')
  t.like(job, { state: 'completed', imported: 2, messages: 5, rejected: 0 })
  t.deepEqual(leftOut, { odd_messages: 1 })
  t.is(await said(key), 'user: Where do herons nest?\n\nassistant: In trees.')
  t.is(await said('1700000000001'), 'user: Count the herons\n\nassistant: I look.\n\nassistant: Three.')
})

test('sessions of Grok Build have their project from the folder of the log (transcripts.md)', async t => {
  const folder = temporaryFolder(t, 'grok')
  const key = '01a2292d-9b86-7ef0-b61c-538f522bd7b1'
  const log = join(folder, 'sessions', '%2Fwork%2Fheron', key, 'updates.jsonl')
  const line = (method: string, update: object) =>
    JSON.stringify({ timestamp: 1795987185, method, params: { sessionId: key, update } })
  mkdirSync(dirname(log), { recursive: true })
  writeFileSync(join(dirname(log), 'chat_history.jsonl'), '{"type":"system","content":"You are Grok"}\n')
  const lines = [
    line('_x.ai/session/update', { sessionUpdate: 'background_tasks', tasks: [] }),
    line('session/update', { sessionUpdate: 'user_message_chunk', content: text('Where do herons nest?') }),
    line('session/update', { sessionUpdate: 'tool_call', title: 'use_tool' }),
    line('session/update', { sessionUpdate: 'agent_message_chunk', content: text('In ') }),
    line('session/update', { sessionUpdate: 'agent_message_chunk', content: text('tall trees.') }),
  ]
  writeFileSync(log, lines.join('\n'))
  const { logs, job, said } = await importFrom(t, 'grok', folder)
  t.like(logs, [{ sessionKey: key, folder: '/work/heron' }])
  t.like(job, { state: 'completed', imported: 1, messages: 2, rejected: 0 })
  t.is(await said(key), 'user: Where do herons nest?\n\nassistant: In tall trees.')
})

test('a database without the tables of its program is refused with its name (transcripts.md)', async t => {
  const folder = temporaryFolder(t, 'hermes-broken')
  openOther(t, join(folder, 'state.db'), 'CREATE TABLE other (id)')
  await t.throwsAsync(sessionLogsAt([folder], { from: 'hermes-agent', since: undefined, named: true }), {
    message: /state\.db has not the tables that hermes-agent makes: no such table: messages/u,
  })
})
