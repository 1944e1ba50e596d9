import test, { type ExecutionContext } from 'ava'
import { startDaemon, type TestDaemon, type TestDaemonOptions } from '../../helpers/daemon.js'
import { openRaw } from '../../helpers/store.js'

const text = 'the staging cluster is rebuilt on Sundays'

type Fields = Parameters<TestDaemon['remember']>[1]

/**
 * Starts a daemon with the same text saved once for each of the given fields; the first save makes the row.
 */
async function startWithHolders(t: ExecutionContext, places: readonly Fields[], options?: TestDaemonOptions) {
  const daemon = await startDaemon(t, options)
  const [first, ...others] = places
  const id = await daemon.remember(text, first)
  for (const fields of others) {
    const { status, body } = await daemon.call('POST /api/memory/remember', {
      body: { content: text, ...fields },
    })
    t.like({ status, ...body }, { status: 200, id, deduped: true })
  }
  return { ...daemon, id }
}

const holdersOf = async ({ call }: Pick<TestDaemon, 'call'>, id: string, agentId?: string) => {
  const { body } = await call('GET /api/memory/:id', { params: { id }, query: { agentId } })
  return body.holders?.map(({ agent_id, project, scope }) => [agent_id, project, scope])
}

const historyOf = async ({ call }: Pick<TestDaemon, 'call'>, id: string, agentId?: string) => {
  const { body } = await call('GET /api/memory/:id/history', { params: { id }, query: { agentId } })
  return body.history
}

test('the same text saved in a second project is found in both (rules.md 1.1; rules.md#holders)', async t => {
  const daemon = await startWithHolders(t, [{ project: 'web' }, { project: 'api' }])
  for (const project of ['web', 'api', undefined])
    t.deepEqual(await daemon.recall('staging cluster', { project }), [daemon.id])
  t.deepEqual(await daemon.recall('staging cluster', { project: 'other' }), [])
})

test('the same text saved by a second agent is found by both when they read only their own (recall.md 1.3.2)', async t => {
  const daemon = await startWithHolders(t, [{ agentId: 'claude' }, { agentId: 'codex' }])
  for (const agentId of ['claude', 'codex'])
    t.deepEqual(await daemon.recall('staging cluster', { agentId }), [daemon.id])
  t.deepEqual(await daemon.recall('staging cluster', { agentId: 'gemini' }), [])
})

test('a holder’s agent and project count as a pair, and a mixed pair finds nothing', async t => {
  const daemon = await startWithHolders(t, [
    { agentId: 'claude', project: 'web' },
    { agentId: 'codex', project: 'api' },
  ])
  const recall = (agentId: string, project: string) => daemon.recall('staging cluster', { agentId, project })
  t.deepEqual(await recall('codex', 'api'), [daemon.id])
  t.deepEqual(await recall('codex', 'web'), [])
  t.deepEqual(await recall('claude', 'api'), [])
})

test('the same text saved in a second scope is found in both, and in no third (recall.md 1.3.3)', async t => {
  const daemon = await startWithHolders(t, [{ scope: 'team' }, {}, { scope: 'lab' }])
  for (const scope of ['team', undefined, 'lab'])
    t.deepEqual(await daemon.recall('staging cluster', { scope }), [daemon.id])
  t.deepEqual(await daemon.recall('staging cluster', { scope: 'other' }), [])
})

test('a scoped holder does not bring a memory into unscoped recalls', async t => {
  const daemon = await startWithHolders(t, [{ scope: 'team' }, { scope: 'lab' }])
  t.deepEqual(await daemon.recall('staging cluster'), [])
})

test('agent_id and project of the record stay those of the first holder; holders[] lists all (rules.md#holders)', async t => {
  const daemon = await startWithHolders(t, [
    { agentId: 'claude', project: 'web' },
    { agentId: 'codex', project: 'api' },
  ])
  const { body } = await daemon.call('GET /api/memory/:id', { params: { id: daemon.id } })
  t.like(body, { agent_id: 'claude', project: 'web', version: 1 })
  t.like(body.holders, [
    { agent_id: 'claude', project: 'web', scope: null, visibility: 'global' },
    { agent_id: 'codex', project: 'api', scope: null, visibility: 'global' },
  ])
  t.is(body.holders[0]?.held_at, body.created_at)
})

test('a memory saved once has one holder', async t => {
  const daemon = await startWithHolders(t, [{ project: 'web' }])
  t.deepEqual(await holdersOf(daemon, daemon.id), [['default', 'web', null]])
})

test('an added holder appears in the history, without a new version (rules.md#holders)', async t => {
  const daemon = await startWithHolders(t, [{}, { agentId: 'codex', project: 'api' }])
  const [created, added, ...more] = await historyOf(daemon, daemon.id)
  t.deepEqual([created?.event, more], ['created', []])
  t.like(added, {
    event: 'modified',
    oldContent: text,
    newContent: text,
    metadata: { holder: { agent_id: 'codex', project: 'api' }, held: 'added' },
  })
  t.is((await daemon.call('GET /api/memory/:id', { params: { id: daemon.id } })).body.version, 1)
})

test('saving again with the same agent and project adds nothing, not even history', async t => {
  const place = { agentId: 'codex', project: 'api' }
  const daemon = await startWithHolders(t, [{}, {}, place, place])
  t.is((await holdersOf(daemon, daemon.id))?.length, 2)
  t.is((await historyOf(daemon, daemon.id)).length, 2)
})

test('a memory matched by an idempotency key or source gains the caller as holder (rules.md 1.1.5)', async t => {
  const daemon = await startDaemon(t)
  const keyed = await daemon.remember('first wording', { idempotencyKey: 'k', project: 'web' })
  const sourced = await daemon.remember('imported once', { sourceId: 's-1', project: 'web' })
  t.is(await daemon.remember('second wording', { idempotencyKey: 'k', project: 'api' }), keyed)
  t.is(await daemon.remember('imported twice', { sourceId: 's-1', agentId: 'codex' }), sourced)
  t.deepEqual(await daemon.recall('first wording', { project: 'api' }), [keyed])
  t.deepEqual(await daemon.recall('imported once', { agentId: 'codex' }), [sourced])
})

test('an agent that may not know the existing row gets a row of its own (rules.md#holders)', async t => {
  const daemon = await startDaemon(t)
  const hidden = await daemon.remember(text, { agentId: 'claude', visibility: 'private' })
  const own = await daemon.remember(text, { agentId: 'codex' })
  t.not(own, hidden)
  t.deepEqual(await holdersOf(daemon, hidden, 'claude'), [['claude', null, null]])
})

test('a private row that its agent saves as global in another project stays private', async t => {
  const daemon = await startWithHolders(t, [
    { agentId: 'claude', visibility: 'private', project: 'web' },
    { agentId: 'claude', project: 'api' },
  ])
  t.deepEqual(await daemon.recall('staging cluster', { agentId: 'claude', project: 'api' }), [daemon.id])
  const { status } = await daemon.call('GET /api/memory/:id', {
    params: { id: daemon.id },
    query: { agentId: 'codex' },
  })
  t.is(status, 404)
})

test('a private hold of a shared text is invisible in record, history and filters', async t => {
  const daemon = await startWithHolders(t, [
    { agentId: 'claude', project: 'web' },
    { agentId: 'codex', project: 'secret', visibility: 'private' },
  ])
  t.deepEqual(await holdersOf(daemon, daemon.id, 'claude'), [['claude', 'web', null]])
  t.is((await historyOf(daemon, daemon.id, 'claude')).length, 1)
  t.deepEqual(await daemon.recall('staging cluster', { project: 'secret' }), [])
  t.deepEqual(await daemon.recall('staging cluster', { agentId: 'codex', project: 'secret' }), [daemon.id])
  t.is((await holdersOf(daemon, daemon.id, 'codex'))?.length, 2)
  t.is((await historyOf(daemon, daemon.id, 'codex')).length, 2)
})

test('a private holder that saves again as global becomes visible', async t => {
  const place = { agentId: 'codex', project: 'api' }
  const daemon = await startWithHolders(t, [
    { agentId: 'claude' },
    { ...place, visibility: 'private' },
    place,
  ])
  t.deepEqual(await daemon.recall('staging cluster', { project: 'api' }), [daemon.id])
  t.is((await holdersOf(daemon, daemon.id, 'claude'))?.length, 2)
})

test('lists, counts and keyword searches find a memory through any holder', async t => {
  const daemon = await startWithHolders(t, [{ agentId: 'claude' }, { agentId: 'codex', project: 'api' }])
  const { body: found } = await daemon.call('GET /memory/search', {
    query: { q: 'staging', agentId: 'codex', project: 'api' },
  })
  t.deepEqual('results' in found && found.results.map(({ id }) => id), [daemon.id])
  const { body: listed } = await daemon.call('GET /memory/search', { query: { agentId: 'codex' } })
  t.deepEqual('results' in listed && listed.results.map(({ id }) => id), [daemon.id])
  const { memories } = daemon.daemon.store.tables
  t.is((await memories.counts({ agents: ['codex'], globalOf: [] })).total, 1)
  t.is((await memories.counts({ agents: ['gemini'], globalOf: [] })).total, 0)
})

test('a session in a second project starts with the memory, also after it was ranked again', async t => {
  const daemon = await startWithHolders(t, [
    { project: 'web', importance: 0.2 },
    { project: 'api' },
    { project: 'api', agentId: 'codex' },
  ])
  for (let n = 0; n < 3; n++) await daemon.remember(`api note ${n}`, { project: 'api', importance: 0.5 })
  const start = async (limit: number) => {
    const { memories } = daemon.daemon.store.tables
    const rows = await memories.best({
      boundary: { agents: ['default'], globalOf: 'all' },
      project: 'api',
      recencyBias: 0,
      limit,
      further: true,
      except: [],
      withoutCompactions: 'all',
      now: new Date().toISOString(),
      maxContent: 100,
    })
    return rows.map(({ id }) => id)
  }
  t.is((await start(10)).at(-1), daemon.id)
  const patch = (body: { importance?: number; pinned?: boolean }) =>
    daemon.call('PATCH /api/memory/:id', { params: { id: daemon.id }, body: { ...body, reason: 'weighed' } })
  await patch({ importance: 0.9 })
  t.deepEqual(await start(1), [daemon.id])
  await patch({ importance: 0.1, pinned: true })
  t.deepEqual(await start(1), [daemon.id])
  const { body } = await daemon.call('POST /api/hooks/session-start', {
    body: { harness: 'claude-code', project: 'api', sessionKey: 's' },
  })
  t.true('memories' in body && body.memories.some(({ id }) => id === daemon.id))
})

test('a memory that a hook saved in a second project is recalled there (rules.md 4.10)', async t => {
  const daemon = await startWithHolders(t, [{ project: '/work/web' }])
  const session = { harness: 'codex', agentId: 'codex', sessionKey: 's', project: '/work/api' }
  await daemon.call('POST /api/hooks/session-start', { body: session })
  await daemon.call('POST /api/hooks/remember', { body: { ...session, content: text } })
  const { body } = await daemon.call('POST /api/hooks/recall', {
    body: { ...session, query: 'staging cluster' },
  })
  t.deepEqual(
    body.results?.map(({ id }) => id),
    [daemon.id],
  )
})

test('lineage, similar and feedback work through any holder', async t => {
  const daemon = await startWithHolders(t, [{ agentId: 'claude' }, { agentId: 'codex' }])
  const { agents } = daemon.daemon.store.tables
  t.truthy(await agents.find('codex'))
  const raw = openRaw(t, daemon.paths.database)
  raw.prepare("UPDATE agents SET read_policy = 'isolated' WHERE id = 'codex'").run()
  const query = { agentId: 'codex' }
  const { body } = await daemon.call('GET /api/memory/:id/lineage', { params: { id: daemon.id }, query })
  t.is(body.count, 1)
  const { body: similar } = await daemon.call('GET /memory/similar', { query: { ...query, id: daemon.id } })
  t.is(similar.code, 'no_embedding')
  await daemon.recall('staging cluster', { agentId: 'codex', sessionKey: 's' })
  const rated = await daemon.call('POST /api/memory/feedback', {
    body: { session_key: 's', ratings: { [daemon.id]: 1 }, agentId: 'codex' },
  })
  t.is(rated.body.accepted, 1)
})

test('a reader who cannot see the first holder is shown the one it can see', async t => {
  const daemon = await startWithHolders(t, [
    { agentId: 'claude', project: 'web' },
    { agentId: 'codex', project: 'api' },
  ])
  openRaw(t, daemon.paths.database).prepare("UPDATE agents SET read_policy = 'isolated'").run()
  const { body } = await daemon.call('GET /api/memory/:id', {
    params: { id: daemon.id },
    query: { agentId: 'codex' },
  })
  t.like(body, { agent_id: 'codex', project: 'api' })
  t.is(body.holders.length, 1)
})

test('MEMORY.md and projections include a memory in every project that holds it (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('never deploy on a Friday', { project: 'web' })
  await daemon.remember('never deploy on a Friday', { project: 'api' })
  const { memories } = daemon.daemon.store.tables
  const boundary = { agents: [], globalOf: 'all' } as const
  t.deepEqual(await memories.projectsAfter('', 10), ['api', 'web'])
  for (const project of ['web', 'api']) {
    t.is(await memories.countOf(boundary, project, 'rule'), 1)
    const [row] = await memories.newestOf({ boundary, project, type: 'rule', limit: 5, now: '2999' })
    t.is(row?.content, 'never deploy on a Friday')
    t.is(await memories.newestAt(boundary, project, 'rule'), row?.created_at)
  }
  const { body } = await daemon.call('POST /api/hooks/synthesis', { body: {} })
  t.regex(body.prompt, /never deploy on a Friday/u)
})

test('a duplicate save adds no holder while mutations are frozen', async t => {
  const daemon = await startWithHolders(t, [{}])
  const frozen = { memory: { pipelineV2: { mutationsFrozen: true } } }
  await daemon.stop()
  const again = await startDaemon(t, { workspace: daemon.paths.root, settings: frozen })
  const { status } = await again.call('POST /api/memory/remember', {
    body: { content: text, project: 'api' },
  })
  t.is(status, 503)
  t.is((await holdersOf(again, daemon.id))?.length, 1)
})

test('fifty agents that save one text at once get one row that each of them finds', async t => {
  const daemon = await startDaemon(t)
  const agents = Array.from({ length: 50 }, (_, n) => `agent-${n % 25}`)
  const replies = await Promise.all(
    agents.map(agentId => daemon.call('POST /api/memory/remember', { body: { content: text, agentId } })),
  )
  const [id, ...others] = new Set(replies.map(({ body }) => body.id))
  t.deepEqual(others, [])
  const holders = await holdersOf(daemon, id as string)
  t.deepEqual(holders?.map(([agent]) => agent).sort(), [...new Set(agents)].sort())
  t.is(holders?.length, 25)
  for (const agentId of agents.slice(0, 3))
    t.deepEqual(await daemon.recall('staging cluster', { agentId }), [id])
})

test('after a restart a memory is found through any holder, from the snapshot and from a rebuild', async t => {
  const daemon = await startWithHolders(t, [{ project: 'web' }, { project: 'api', agentId: 'codex' }])
  await daemon.stop()
  const again = await startDaemon(t, { workspace: daemon.paths.root })
  t.deepEqual(await again.recall('staging cluster', { project: 'api', agentId: 'codex' }), [daemon.id])
  await again.daemon.index.use({ provider: 'other', model: 'model' })
  t.deepEqual(await again.recall('staging cluster', { project: 'api' }), [daemon.id])
})
