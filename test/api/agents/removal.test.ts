import { existsSync, readFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import type { Request } from '../../../src/contract/api.js'
import { settingsWithVectors } from '../../helpers/call-every-route.js'
import { capture, transcriptOf } from '../../helpers/captures.js'
import { startDaemon, type TestDaemon, type TestDaemonOptions } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { filesWith } from '../../helpers/files-below.js'
import { startSession, storeMessages } from '../../helpers/hooks.js'
import { storeEntityWithRejection } from '../../helpers/ontology.js'
import { openRaw, storeLike } from '../../helpers/store.js'

type Save = Partial<NonNullable<Request<'POST /api/memory/remember'>['body']>>

/** Starts a daemon in which the agent cas has memories of every kind, with helpers to inspect them. */
async function startWithAgent(t: ExecutionContext, options: TestDaemonOptions = {}) {
  const daemon = await startDaemon(t, options)
  const raw = openRaw(t, daemon.paths.database)
  const save = (content: string, fields: Save = {}) => daemon.remember(content, { agentId: 'cas', ...fields })
  const remove = (query: { purge?: boolean } = {}, name = 'cas') =>
    daemon.call('DELETE /api/agents/:name', { params: { name }, query })
  const count = (sql: string, ...values: unknown[]) =>
    Object.values(raw.prepare(sql).get(...values) as object)[0] as number
  return { ...daemon, raw, save, remove, count }
}

type RemovalDaemon = Awaited<ReturnType<typeof startWithAgent>>

const listed = async ({ call }: TestDaemon, agentId?: string) =>
  (await call('GET /api/memories', { query: agentId ? { agentId } : {} })).body.memories.map(({ id }) => id)

test('a removed agent leaves the roster, and each of its memories is archived with an event (agents.md 4.4)', async t => {
  const daemon = await startWithAgent(t)
  const ids = [
    await daemon.save('the crane is red'),
    await daemon.save('the crane is secret', { visibility: 'private' }),
    await daemon.save('the crane was blue'),
  ]
  await daemon.call('DELETE /api/memory/:id', {
    params: { id: ids[2] as string },
    query: { agentId: 'cas' },
    body: { reason: 'painted' },
  })
  const { status, body } = await daemon.remove()
  t.is(status, 200)
  t.deepEqual(body, { success: true, purged: false, memories: 3 } as never)
  t.is((await daemon.call('GET /api/agents/:name', { params: { name: 'cas' } })).status, 404)
  const rows = daemon.raw
    .prepare('SELECT visibility, embedding_model, version FROM memories ORDER BY id')
    .all()
  t.deepEqual(
    rows,
    [2, 2, 3].map(version => ({ visibility: 'archived', embedding_model: null, version })),
  )
  const events = daemon.raw
    .prepare("SELECT event, changed_by, reason, metadata FROM memory_history WHERE reason LIKE 'agent %'")
    .all() as { metadata: string }[]
  t.is(events.length, 3)
  t.like(events[0], { event: 'modified', changed_by: 'operator', reason: 'agent cas was removed' })
  t.deepEqual(events.map(({ metadata }) => JSON.parse(metadata).before.visibility).sort(), [
    'global',
    'global',
    'private',
  ])
  t.is((await daemon.call('GET /api/status')).body.memories, 0)
})

test('a memory of a removed agent can be saved again by others and by a new agent with its name (agents.md 4.4)', async t => {
  const daemon = await startWithAgent(t)
  const first = await daemon.save('the crane is red', { idempotencyKey: 'k', sourceId: 's' })
  await daemon.remove()
  const again = await daemon.save('the crane is red', { idempotencyKey: 'k', sourceId: 's' })
  t.not(again, first)
  t.deepEqual(await listed(daemon, 'cas'), [again])
  t.is((await daemon.remove()).body.memories, 1)
  const other = await daemon.remember('the crane is red')
  t.false([first, again].includes(other))
  t.deepEqual(await listed(daemon), [other])
})

test('an agent that saves again after its removal is registered as a new agent (agents.md 4.4)', async t => {
  const daemon = await startWithAgent(t)
  await daemon.call('POST /api/agents', { body: { name: 'cas' } })
  await daemon.save('the crane is red')
  await daemon.remove()
  await daemon.save('the crane is blue')
  const { body } = await daemon.call('GET /api/agents/:name', { params: { name: 'cas' } })
  t.is(body.read_policy, 'shared')
})

for (const purge of [false, true])
  test(`a memory with other holders passes to the next holder when its agent is ${purge ? 'purged' : 'archived'} (agents.md 4.5)`, async t => {
    const daemon = await startWithAgent(t)
    const shared = await daemon.save('the crane is red', { project: 'web' })
    t.is(await daemon.remember('the crane is red', { agentId: 'dan', project: 'api' }), shared)
    const held = await daemon.remember('the crane is tall', { agentId: 'dan' })
    t.is(await daemon.save('the crane is tall'), held)
    const own = await daemon.save('the crane is old', { project: 'web' })
    t.is(await daemon.save('the crane is old', { project: 'api' }), own)
    const counted = await daemon.call('GET /api/agents/:name', {
      params: { name: 'cas' },
      query: { counts: true },
    })
    t.like(counted.body.counts, { memories: 2, shared: 1, held: 1, archived: 0 })
    t.is((await daemon.remove({ purge })).body.memories, 1)
    t.deepEqual((await listed(daemon)).sort(), [held, shared].sort())
    const { body } = await daemon.call('GET /api/memory/:id', { params: { id: shared } })
    t.deepEqual(
      body.holders.map(({ agent_id, project }) => [agent_id, project]),
      [['dan', 'api']],
    )
    t.deepEqual(await daemon.recall('crane', { project: 'web' }), [])
    t.deepEqual((await daemon.recall('crane')).sort(), [held, shared].sort())
    t.is(daemon.count('SELECT count(*) FROM memories WHERE id = ?', own), purge ? 0 : 1)
  })

test('summaries that other agents made from its memories are forgotten, or deleted permanently in a purge (agents.md 4.5)', async t => {
  for (const purge of [false, true]) {
    const daemon = await startWithAgent(t)
    await daemon.save('the harbour crane is red')
    await daemon.remember('the harbour crane is tall')
    const { body } = await daemon.call('POST /api/memory/recall', {
      body: { query: 'harbour crane', aggregate: true, saveAggregate: true },
    })
    const saved = daemon.count("SELECT count(*) FROM memories WHERE source_type = 'recall-aggregate'")
    t.is(saved, 1, JSON.stringify(body))
    await daemon.remove({ purge })
    const left = daemon.raw
      .prepare("SELECT is_deleted FROM memories WHERE source_type = 'recall-aggregate'")
      .all()
    t.deepEqual(left, purge ? [] : [{ is_deleted: 1 }])
    t.is((await daemon.recall('harbour crane')).length, 1)
  }
})

test('archived memories leave the index, and a restart finds the index complete (agents.md 4.4)', async t => {
  const settings = await settingsWithVectors(t)
  const daemon = await startWithAgent(t, { settings })
  await daemon.save('the crane is red')
  const kept = await daemon.remember('the crane is tall')
  await daemon.remove()
  const status = async (of: TestDaemon) => {
    const { body } = await of.call('GET /api/status')
    return [body.memories, body.index.documents, body.embedding.withoutVector]
  }
  await until(async () => (await status(daemon))[2] === 0 || undefined)
  t.deepEqual(await status(daemon), [1, 1, 0])
  await daemon.stop()
  const lines: string[] = []
  const next = await startDaemon(t, {
    settings,
    workspace: daemon.paths.root,
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
  })
  t.deepEqual(await status(next), [1, 1, 0])
  t.deepEqual(await next.recall('crane'), [kept])
  t.false(
    lines.some(line => line.includes('rebuilding')),
    lines.join(''),
  )
})

const transcript = readFileSync(
  new URL('../../fixtures/transcripts/claude-code.jsonl', import.meta.url),
  'utf8',
)
const secret = 'zebrafish'

/** Creates every kind of agent data: memories, sessions, messages, entities and so on. */
async function createAgentData(t: ExecutionContext, daemon: RemovalDaemon, agentId: string): Promise<void> {
  const session = { harness: 'claude-code', agentId, sessionKey: `session of ${agentId}`, project: '/shop' }
  const saved = await daemon.save(`the ${secret} of ${agentId}`, {
    agentId,
    structured: { hints: [`${secret} hint`] },
  })
  await daemon.call('PATCH /api/memory/:id', {
    params: { id: saved },
    query: { agentId },
    body: { reason: `${secret} reason`, content: `the ${secret} of ${agentId} moved` },
  })
  await startSession(daemon, session)
  await daemon.call('POST /api/memory/recall', {
    body: { query: secret, agentId, sessionKey: session.sessionKey },
  })
  await daemon.call('POST /api/hooks/compaction-complete', {
    body: { ...session, summary: `${secret} summary of ${agentId}` } as never,
  })
  await daemon.call('POST /api/memory/harnessb-native-note', {
    body: { content: `${secret} note of ${agentId}` },
    headers: { 'x-service-agent-id': agentId },
  })
  await capture(daemon, {
    ...session,
    transcript: transcript.replaceAll('invoice', `${secret} ${agentId}`),
  })
  storeMessages(t, daemon, [
    { id: `from ${agentId}`, from: agentId, to: 'somebody', content: `${secret} message of ${agentId}` },
    { id: `to ${agentId}`, to: agentId, content: `${secret} message to ${agentId}` },
  ])
  await storeEntityWithRejection(daemon, {
    name: `${secret} ${agentId}`,
    agentId,
    memory: saved,
    quote: secret,
  })
  const { body: document } = await daemon.call('POST /api/documents', {
    body: { source_type: 'text', content: `# ${agentId}\n\n${secret} document of ${agentId}`, agentId },
  })
  await until(
    () =>
      daemon.count(`SELECT count(*) FROM documents WHERE id = '${document.id}' AND status = 'done'`) === 1,
  )
  await daemon.call('POST /api/skills/:name/usage', {
    params: { name: 'deploy' },
    body: { success: true, agentId },
  })
  const [row] = daemon.raw.prepare('SELECT * FROM memories WHERE id = ?').all(saved) as [object]
  daemon.raw
    .prepare('INSERT INTO cold_memories (id, deleted_at, stored_at, record, agent_id) VALUES (?, ?, ?, ?, ?)')
    .run(`cold ${agentId}`, '2025', '2025', JSON.stringify(row), agentId)
}

/** Counts the rows that contain a text, by table. */
function rowsWith({ raw }: RemovalDaemon, text: string): Record<string, number> {
  const tables = raw
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[]
  const counts = tables.map(table => {
    const rows = raw.prepare(`SELECT * FROM "${table}"`).all()
    return [
      table,
      rows.filter(row => JSON.stringify(Object.values(row as object)).includes(text)).length,
    ] as const
  })
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}

const notesWith = ({ paths }: TestDaemon, text: string): string[] =>
  filesWith(paths.memoryDir, text).filter(name => /\.(?:md|jsonl)$/u.test(name))

test('a purge removes every word of the agent from rows, files and indexes (agents.md 4.6)', async t => {
  const daemon = await startWithAgent(t, { settings: await settingsWithVectors(t) })
  await createAgentData(t, daemon, 'cas')
  await createAgentData(t, daemon, 'dan')
  const files = notesWith(daemon, secret)
  t.true(files.length >= 5, files.join(' '))
  const before = rowsWith(daemon, 'cas')
  const others = rowsWith(daemon, 'dan')
  for (const table of [
    'memories',
    'memory_history',
    'sessions',
    'transcripts',
    'compactions',
    'cold_memories',
    'documents',
    'skill_uses',
  ])
    t.true((before[table] ?? 0) > 0, table)
  const counted = await daemon.call('GET /api/agents/:name', {
    params: { name: 'cas' },
    query: { counts: true },
  })
  t.like(counted.body.counts, { sessions: 1, transcripts: 1, messages: 2, entities: 1, documents: 1 })
  const { body } = await daemon.remove({ purge: true })
  t.like(body, { success: true, purged: true })
  t.true(body.memories >= 3)
  // The history records that a purge happened, and nothing else of the agent.
  t.deepEqual(Object.keys(rowsWith(daemon, 'cas')), ['memory_history'])
  t.is(daemon.count(`SELECT count(*) FROM memory_history WHERE new_content LIKE '%of cas%'`), 0)
  t.is(
    daemon.count(
      `SELECT count(*) FROM memory_history WHERE reason LIKE '%${secret}%' AND memory_id NOT IN (SELECT unhex(id, '-') FROM memories)`,
    ),
    0,
  )
  t.deepEqual(rowsWith(daemon, 'dan'), others)
  t.deepEqual(notesWith(daemon, 'cas'), [])
  t.true(notesWith(daemon, 'dan').length >= 2)
  t.is(await transcriptOf(daemon, 'session of cas', 'cas'), undefined)
  t.truthy(await transcriptOf(daemon, 'session of dan', 'dan'))
  const search = await daemon.call('POST /api/sessions/search', { body: { query: secret, agentId: 'cas' } })
  t.is(search.body.count, 0)
  t.is(
    daemon.count(
      'SELECT count(*) FROM memory_vectors v LEFT JOIN memories m ON m.id = v.memory_id WHERE m.id IS NULL',
    ),
    0,
  )
  t.true((await daemon.recall(secret, { agentId: 'dan' })).length >= 1)
  const { documents } = (await daemon.call('GET /api/status')).body.index
  t.is(documents, daemon.count('SELECT count(*) FROM memories WHERE is_deleted = 0'))
})

test('a purge also deletes memories archived by an earlier removal, and the agent is unknown afterwards (agents.md 4.6)', async t => {
  const daemon = await startWithAgent(t)
  await daemon.save('the crane is red')
  await daemon.remove()
  t.is((await daemon.remove()).status, 404)
  t.like((await daemon.remove({ purge: true })).body, { purged: true, memories: 1 })
  t.is(daemon.count('SELECT count(*) FROM memories'), 0)
  t.is((await daemon.remove({ purge: true })).status, 404)
})

test('a saved memory cannot name a file of the machine for a purge to delete (agents.md 4.6)', async t => {
  const daemon = await startWithAgent(t)
  const paths = ['agent.yaml', '../agent.yaml', 'memory/codex/notes/../../../agent.yaml']
  for (const sourcePath of paths)
    await daemon.save(`the crane of ${sourcePath}`, { sourceType: 'native-note', sourcePath })
  await daemon.remove({ purge: true })
  t.true(existsSync(daemon.paths.settings))
})

test('creating, changing and removing agents are refused while frozen (agents.md 7)', async t => {
  const first = await startWithAgent(t)
  await first.save('the crane is red')
  await first.stop()
  const settings = { memory: { pipelineV2: { mutationsFrozen: true } } }
  const { call } = await startDaemon(t, { workspace: first.paths.root, settings })
  const params = { name: 'cas' }
  const replies = [
    await call('POST /api/agents', { body: { name: 'new' } }),
    await call('PATCH /api/agents/:name', { params, body: { read_policy: 'isolated' } }),
    await call('DELETE /api/agents/:name', { params }),
    await call('DELETE /api/agents/:name', { params, query: { purge: true } }),
  ]
  for (const { status, body } of replies) t.deepEqual([status, body.code], [503, 'mutations_frozen'])
  t.is((await call('GET /api/agents')).status, 200)
})

for (const purge of [false, true])
  test(`the next start finishes an interrupted ${purge ? 'purge' : 'removal'} (agents.md 4.7)`, async t => {
    const first = await startWithAgent(t)
    const id = await first.save('the crane is red')
    await storeLike(
      first.daemon,
      id,
      Array.from({ length: 250 }, (_, n) => ({ content: `crane ${n}` })),
    )
    const removal = { purge, author: { actor: 'ada', actorType: 'operator', requestId: 'r' } }
    const { store } = first.daemon
    await store.transaction(tables => tables.agents.beginRemoval('cas', JSON.stringify(removal), '2026'))
    first.raw
      .prepare(
        "UPDATE memories SET visibility = 'archived', hash_space = ' ' || id WHERE content LIKE 'crane 1%'",
      )
      .run()
    await first.stop()
    const next = await startDaemon(t, { workspace: first.paths.root })
    await until(() => first.count("SELECT count(*) FROM agents WHERE id = 'cas'") === 0 || undefined)
    const left = first.raw.prepare('SELECT visibility, count(*) AS count FROM memories GROUP BY 1').all()
    t.deepEqual(left, purge ? [] : [{ visibility: 'archived', count: 251 }])
    t.is(
      first.count(
        "SELECT count(*) FROM memory_history WHERE changed_by = 'ada' AND memory_id = unhex(?, '-')",
        id,
      ),
      purge ? 2 : 1,
    )
    t.deepEqual(await next.recall('crane', { agentId: 'cas' }), [])
  })

test('two concurrent removals, one of them a purge, end in a purge (agents.md 4.7)', async t => {
  const daemon = await startWithAgent(t)
  const id = await daemon.save('the crane is red')
  await storeLike(
    daemon.daemon,
    id,
    Array.from({ length: 300 }, (_, n) => ({ content: `crane ${n}` })),
  )
  const replies = await Promise.all([daemon.remove(), daemon.remove({ purge: true }), daemon.remove()])
  t.true(replies.every(({ status }) => status === 200 || status === 404))
  t.is(daemon.count('SELECT count(*) FROM memories'), 0)
  t.is(daemon.count("SELECT count(*) FROM agents WHERE id = 'cas'"), 0)
})

test('saves during a removal are either kept or removed with the agent, and none fails (agents.md 4.7)', async t => {
  const daemon = await startWithAgent(t)
  const id = await daemon.save('the crane is red')
  await storeLike(
    daemon.daemon,
    id,
    Array.from({ length: 300 }, (_, n) => ({ content: `crane ${n}` })),
  )
  const [removed, ...saves] = await Promise.all([
    daemon.remove({ purge: true }),
    ...Array.from({ length: 20 }, (_, n) =>
      daemon.call('POST /api/memory/remember', { body: { content: `pier ${n}`, agentId: 'cas' } }),
    ),
  ])
  t.is(removed.status, 200)
  t.deepEqual(new Set(saves.map(({ status }) => status)), new Set([200]))
  t.is(daemon.count("SELECT count(*) FROM memories WHERE content LIKE '%crane%'"), 0)
  t.is((await listed(daemon, 'cas')).length, daemon.count('SELECT count(*) FROM memories'))
})
