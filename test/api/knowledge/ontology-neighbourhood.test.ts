import test, { type ExecutionContext } from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { operation, perform } from '../../helpers/ontology.js'
import { openRaw } from '../../helpers/store.js'
import { startTeam } from '../../helpers/team.js'

type Caller = Pick<TestDaemon, 'call'>
type Query = { depth?: number; limit?: number; agentId?: string }

const said = 'Orion uses Redis and Postgres, Redis beside Postgres; Postgres runs on Zfs, Zfs on Disks'

/** Stores Orion, the tools it uses and their dependencies, all from one memory. */
async function storeOrion(daemon: Caller, memory: string, options: Parameters<typeof perform>[2] = {}) {
  const from = { [memory]: said }
  const link = (one: string, relation: string, other: string) =>
    operation('link', { from: one, relation, to: other }, from)
  await perform(
    daemon,
    [
      ...['Orion', 'Redis', 'Postgres', 'Zfs', 'Disks'].map(name =>
        operation('create_entity', { name, type: 'thing' }, from),
      ),
      link('Orion', 'uses', 'Redis'),
      link('Orion', 'uses', 'Postgres'),
      link('Redis', 'runs beside', 'Postgres'),
      link('Postgres', 'runs on', 'Zfs'),
      link('Zfs', 'runs on', 'Disks'),
    ],
    options,
  )
}

async function neighbourhoodOf(
  { call }: Caller,
  id: string,
  query: Query = {},
  headers?: Record<string, string>,
) {
  const request = { params: { id }, query, ...(headers && { headers }) }
  const { status, body } = await call('GET /api/ontology/entities/:id/neighbourhood', request)
  const names = new Map(body.nodes?.map(node => [node.id, node.name]))
  return {
    status,
    truncated: body.truncated,
    nodes: body.nodes?.map(({ name, steps }) => `${steps} ${name}`).sort(),
    links: body.links
      ?.map(({ from, relation, to }) => `${names.get(from)} ${relation} ${names.get(to)}`)
      .sort(),
  }
}

test('an entity’s neighbourhood contains its neighbours and their links, up to a depth and a limit (knowledge.md#reading)', async t => {
  const daemon = await startDaemon(t)
  await storeOrion(daemon, await daemon.remember(said))
  t.deepEqual(await neighbourhoodOf(daemon, 'orion'), {
    status: 200,
    truncated: false,
    nodes: ['0 Orion', '1 Postgres', '1 Redis'],
    links: ['Orion uses Postgres', 'Orion uses Redis', 'Redis runs beside Postgres'],
  })
  const wider = await neighbourhoodOf(daemon, 'Orion', { depth: 2 })
  t.deepEqual(wider.nodes, ['0 Orion', '1 Postgres', '1 Redis', '2 Zfs'])
  t.true(wider.links?.includes('Postgres runs on Zfs'))
  t.deepEqual((await neighbourhoodOf(daemon, 'Zfs')).links, ['Postgres runs on Zfs', 'Zfs runs on Disks'])
  const few = await neighbourhoodOf(daemon, 'Orion', { limit: 2 })
  t.is(few.nodes?.length, 2)
  t.true(few.truncated)
  t.deepEqual(await neighbourhoodOf(daemon, 'Orion', { limit: 1 }), {
    status: 200,
    truncated: true,
    nodes: ['0 Orion'],
    links: [],
  })
  t.is((await neighbourhoodOf(daemon, 'nobody')).status, 404)
  t.is((await neighbourhoodOf(daemon, 'Orion', { agentId: 'maya' })).status, 404)
  for (const query of [{ depth: 3 }, { depth: 0 }, { limit: 1001 }, { limit: 0 }])
    t.is((await neighbourhoodOf(daemon, 'Orion', query)).status, 400, JSON.stringify(query))
})

test('a neighbourhood excludes links whose sources the reader may not read (knowledge.md#who-reads-what)', async t => {
  const team = await startTeam(t)
  const save = async (content: string, project: string) =>
    (await team.call('POST /api/memory/remember', { body: { content, project }, headers: team.admin })).body
      .id
  const shop = await save(said, '/shop')
  const bank = await save('Orion is sold to the Bank', '/bank')
  await storeOrion(team, shop, { headers: team.admin })
  await perform(
    team,
    [
      operation('create_entity', { name: 'Bank', type: 'thing' }, { [bank]: 'the Bank' }),
      operation('link', { from: 'Orion', relation: 'is sold to', to: 'Bank' }, { [bank]: 'Orion is sold' }),
    ],
    { headers: team.admin },
  )
  const all = ['0 Orion', '1 Bank', '1 Postgres', '1 Redis']
  t.deepEqual((await neighbourhoodOf(team, 'Orion', {}, team.admin)).nodes, all)
  const confined = team.token({ role: 'readonly', scope: { project: '/shop' } })
  t.deepEqual(
    (await neighbourhoodOf(team, 'Orion', {}, confined)).nodes,
    all.filter(name => name !== '1 Bank'),
  )
  t.is((await neighbourhoodOf(team, 'Bank', {}, confined)).status, 404)
  const graph = async (query: { project?: string }, headers: Record<string, string>) =>
    (await team.call('GET /api/ontology/graph', { query, headers })).body
  t.deepEqual(namesIn(await graph({}, confined)), ['Disks', 'Orion', 'Postgres', 'Redis', 'Zfs'])
  t.true((await graph({}, confined)).nodes.every(({ mentions }) => mentions === null))
  const ofBank = await graph({ project: '/bank' }, team.admin)
  t.deepEqual([namesIn(ofBank), ofBank.links.length], [['Bank', 'Orion'], 1])
  t.is(
    (await team.call('GET /api/ontology/graph', { query: { project: '/bank' }, headers: confined })).status,
    403,
  )
  for (const path of ['GET /api/ontology/entities/:id/neighbourhood', 'GET /api/ontology/graph'] as const)
    t.is((await team.call(path, { params: { id: 'Orion' } })).status, 401)
})

test('a neighbourhood with very many links is cut off, newest first (knowledge.md#reading)', async t => {
  const daemon = await startDaemon(t)
  const memory = await daemon.remember(said)
  await storeOrion(daemon, memory)
  const { nodes } = (
    await daemon.call('GET /api/ontology/entities/:id/neighbourhood', { params: { id: 'Orion' } })
  ).body
  storeManyLinks(t, daemon, { hub: nodes[0]?.id ?? '', memory, count: 3000 })
  const full = await neighbourhoodOf(daemon, 'Orion', { limit: 1000 })
  t.is(full.nodes?.length, 1000)
  t.true(full.truncated)
  t.true(full.nodes?.includes('1 satellite 2999'), 'the newest')
  t.false(full.nodes?.includes('1 satellite 1'), 'the oldest')
  const { body } = await daemon.call('GET /api/ontology/entities/:id', { params: { id: 'Orion' } })
  t.is(body.links.length, 200)
  t.true(body.truncated)
})

test('the whole graph has the most mentioned entities and all links between them (knowledge.md#reading)', async t => {
  const daemon = await startDaemon(t)
  await storeOrion(daemon, await daemon.remember(said))
  await daemon
    .remember('Lonely stands alone')
    .then(id =>
      perform(daemon, [operation('create_entity', { name: 'Lonely', type: 'thing' }, { [id]: 'Lonely' })]),
    )
  const whole = (await daemon.call('GET /api/ontology/graph')).body
  t.deepEqual(namesIn(whole), ['Disks', 'Lonely', 'Orion', 'Postgres', 'Redis', 'Zfs'])
  t.is(whole.links.length, 5)
  t.false(whole.truncated)
  const raw = openRaw(t, daemon.paths.database)
  raw.exec(
    "UPDATE entities SET mentions = 40 WHERE name = 'Zfs'; UPDATE entities SET mentions = 30 WHERE name = 'Disks'",
  )
  const few = (await daemon.call('GET /api/ontology/graph', { query: { limit: 2 } })).body
  t.deepEqual(
    few.nodes.map(({ name, mentions }) => `${name} ${mentions}`),
    ['Zfs 40', 'Disks 30'],
  )
  t.is(few.links.length, 1)
  t.true(few.truncated)
  t.deepEqual((await daemon.call('GET /api/ontology/graph', { query: { agentId: 'maya' } })).body.nodes, [])
  for (const limit of [0, 5001])
    t.is((await daemon.call('GET /api/ontology/graph', { query: { limit } })).status, 400)
})

test('a whole graph is cut off at its limit, and a hub at its newest links (knowledge.md#reading)', async t => {
  const daemon = await startDaemon(t)
  const memory = await daemon.remember(said)
  await storeOrion(daemon, memory)
  const [hub] = (await daemon.call('GET /api/ontology/graph', { query: { limit: 1 } })).body.nodes
  storeManyLinks(t, daemon, { hub: hub?.id ?? '', memory, count: 3000 })
  const { body } = await daemon.call('GET /api/ontology/graph')
  t.is(body.nodes.length, 2000)
  t.true(body.truncated)
  t.true(body.links.length >= 250, 'the newest links of a hub')
  const all = (await daemon.call('GET /api/ontology/graph', { query: { limit: 5000 } })).body
  t.is(all.nodes.length, 3005)
  t.true(all.truncated, 'a hub with more links than are drawn')
})

function namesIn({ nodes }: { nodes: readonly { name: string }[] }): string[] {
  return nodes.map(({ name }) => name).sort()
}

/** Stores entities linked from one hub as operations do, each later than the one before. */
function storeManyLinks(
  t: ExecutionContext,
  { paths }: Pick<TestDaemon, 'paths'>,
  { hub, memory, count }: { hub: string; memory: string; count: number },
): void {
  const numbers = `WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${count - 1})`
  const raw = openRaw(t, paths.database)
  raw.transaction(() => {
    raw.exec(`INSERT INTO entities
      (id, agent_id, name, name_key, entity_type, pinned, mentions, created_at, updated_at)
      ${numbers} SELECT 'satellite-' || i, 'default', 'satellite ' || i, 'satellite ' || i, 'thing', 0, 0, '', ''
      FROM numbers`)
    raw
      .prepare(`INSERT INTO entity_links
        (id, agent_id, from_id, relation, relation_key, to_id, status, confidence, recorded_at)
        ${numbers} SELECT 'link-' || i, 'default', ?, 'knows', 'knows', 'satellite-' || i, 'current', 0.5, ''
        FROM numbers`)
      .run(hub)
    raw
      .prepare(`INSERT INTO evidence_spans
        (id, agent_id, operation_id, subject_id, source_kind, source_id, quote)
        ${numbers} SELECT 'span-' || i, 'default', (SELECT id FROM ontology_operations LIMIT 1), 'link-' || i,
        'memory', ?, 'Orion' FROM numbers`)
      .run(memory)
  })()
}
