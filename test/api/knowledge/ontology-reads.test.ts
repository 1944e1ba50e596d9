import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { applied, operation, perform } from '../../helpers/ontology.js'
import { openRaw } from '../../helpers/store.js'
import { startTeam } from '../../helpers/team.js'

test('entities are listed by change and by name, and shown with values and links (knowledge.md#reading)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('Orion runs on Postgres; Vega waits')
  await perform(daemon, [
    operation('create_entity', { name: 'Vega', type: 'project' }, { [id]: 'Vega' }),
    operation('create_entity', { name: 'Postgres', type: 'tool', pinned: true }, { [id]: 'Postgres' }),
    operation(
      'create_entity',
      { name: 'Orion', type: 'project', aliases: ['the biller'] },
      { [id]: 'Orion' },
    ),
    operation(
      'assert_claim',
      { entity: 'Orion', aspect: 'deployment', claim: 'database', value: 'Postgres' },
      { [id]: 'runs on Postgres' },
    ),
    operation('link', { from: 'Orion', relation: 'uses', to: 'Postgres' }, { [id]: 'runs on Postgres' }),
  ])
  const list = async (query = {}) => (await daemon.call('GET /api/ontology/entities', { query })).body
  t.deepEqual(
    (await list()).entities.map(({ name }) => name),
    ['Orion', 'Postgres', 'Vega'],
  )
  t.like(await list({ limit: 2 }), { count: 2, hasMore: true })
  t.deepEqual(
    (await list({ limit: 2, offset: 2 })).entities.map(({ name }) => name),
    ['Vega'],
  )
  t.deepEqual(
    (await list({ q: 'THE bill' })).entities.map(({ name }) => name),
    ['Orion'],
  )
  t.is((await list({ q: 'nobody' })).count, 0)
  t.is((await list({ agentId: 'maya' })).count, 0)
  const show = (one: string) => daemon.call('GET /api/ontology/entities/:id', { params: { id: one } })
  const { body } = await show('orion')
  t.like(body.entity, { name: 'Orion', type: 'project', aliases: ['the biller'], pinned: false, mentions: 1 })
  t.like(body.claims, [{ aspect: 'deployment', claim: 'database', value: 'Postgres', status: 'current' }])
  t.like(body.links, [{ direction: 'to', relation: 'uses', entity: { name: 'Postgres' } }])
  t.like((await show('Postgres')).body.links, [{ direction: 'from', entity: { name: 'Orion' } }])
  t.is((await show('nobody')).status, 404)
  await daemon.call('DELETE /api/memory/:id', { params: { id }, body: { reason: 'a test' } })
  t.is((await list()).count, 0, 'without a readable source it is shown to nobody')
  t.is((await show('orion')).status, 404)
})

test('a confined credential reads and writes only facts from its own sources (knowledge.md#who-reads-what)', async t => {
  const daemon = await startTeam(t)
  const save = async (content: string, project: string) =>
    (await daemon.call('POST /api/memory/remember', { body: { content, project }, headers: daemon.admin }))
      .body.id
  const shop = await save('Orion is of the shop', '/shop')
  const bank = await save('Vega is of the bank', '/bank')
  const create = (name: string, from: Record<string, string>) =>
    operation('create_entity', { name, type: 'project' }, from)
  const admin = { headers: daemon.admin }
  await perform(daemon, [create('Orion', { [shop]: 'Orion' }), create('Vega', { [bank]: 'Vega' })], admin)
  const headers = daemon.token({ role: 'agent', scope: { project: '/shop' } })
  const { body } = await daemon.call('GET /api/ontology/entities', { headers })
  t.deepEqual(
    body.entities.map(({ name, mentions }) => [name, mentions]),
    [['Orion', null]],
  )
  t.is((await daemon.call('GET /api/ontology/entities/:id', { params: { id: 'Vega' }, headers })).status, 404)
  const results = await perform(
    daemon,
    [
      create('Lyra', { [bank]: 'Vega' }),
      create('Lyra', { [shop]: 'Orion' }),
      operation('merge_entities', { from: 'Vega', into: 'Orion' }),
    ],
    { headers },
  )
  t.deepEqual(
    results.map(({ blockedReason }) => blockedReason),
    ['source_not_found', undefined, 'credential_confined'],
  )
  const body403 = { operations: [create('X', { [bank]: 'Vega' })], project: '/bank' }
  t.is((await daemon.call('POST /api/ontology/operations', { body: body403, headers })).status, 403)
  const readonly = daemon.token({ role: 'readonly' })
  t.is((await daemon.call('POST /api/ontology/operations', { body: body403, headers: readonly })).status, 403)
})

test('a memory lists the facts drawn from it, to those who may read it (knowledge.md#reading)', async t => {
  const daemon = await startDaemon(t)
  const said = await daemon.remember('Orion runs on Postgres', { project: '/shop' })
  const other = await daemon.remember('Orion moved to MySQL', { project: '/shop' })
  const slot = { entity: 'Orion', entityType: 'project', aspect: 'deployment', claim: 'database' }
  const version = await applied(
    t,
    daemon,
    operation('assert_claim', { ...slot, value: 'Postgres' }, { [said]: 'runs on Postgres' }),
  )
  await applied(
    t,
    daemon,
    operation('supersede_claim', { version, value: 'MySQL' }, { [other]: 'moved to MySQL' }),
  )
  const claimsOf = async (id: string, query = {}) =>
    (await daemon.call('GET /api/ontology/memories/:id/claims', { params: { id }, query })).body
  t.like(await claimsOf(other), {
    memoryId: other,
    claims: [{ entity: { name: 'Orion' }, value: 'MySQL', status: 'current', quote: 'moved to MySQL' }],
    truncated: false,
  })
  t.like((await claimsOf(said)).claims, [
    { aspect: 'deployment', claim: 'database', value: 'Postgres', status: 'superseded' },
  ])
  t.is((await claimsOf('nothing')).claims.length, 0)
  t.is((await claimsOf(said, { agentId: 'maya' })).claims.length, 0)
  await daemon.call('DELETE /api/memory/:id', { params: { id: said }, body: { reason: 'a test' } })
  t.is((await claimsOf(said)).claims.length, 0, 'it is not a source any more')
})

test('merged entities are one under every name and id, and merges cannot form a cycle (knowledge.md#operations)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('Orion, also called Biller, runs on Postgres or MySQL; it uses Redis')
  const from = (quote: string) => ({ [id]: quote })
  const claim = (entity: string, name: string, value: string) =>
    operation('assert_claim', { entity, aspect: 'deployment', claim: name, value }, from('runs on Postgres'))
  const made = await perform(daemon, [
    operation('create_entity', { name: 'Orion', type: 'project' }, from('Orion')),
    operation('create_entity', { name: 'Biller', type: 'project', aliases: ['BL'] }, from('Biller')),
    operation('create_entity', { name: 'Redis', type: 'tool' }, from('Redis')),
    claim('Orion', 'database', 'Postgres'),
    claim('Biller', 'database', 'MySQL'),
    claim('Orion', 'day', 'Tuesday'),
    claim('Biller', 'day', 'Tuesday'),
    claim('Biller', 'colour', 'red'),
    operation('link', { from: 'Orion', relation: 'uses', to: 'Redis' }, from('it uses Redis')),
    operation('link', { from: 'Biller', relation: 'uses', to: 'Redis' }, from('it uses Redis')),
    operation('link', { from: 'Biller', relation: 'is', to: 'Orion' }, from('also called')),
  ])
  const [orion, biller] = made.map(result => result.id ?? '')
  await applied(t, daemon, operation('merge_entities', { from: 'bl', into: 'Orion' }))
  const { body } = await daemon.call('GET /api/ontology/entities/:id', { params: { id: biller ?? '' } })
  t.like(body.entity, { id: orion, name: 'Orion', aliases: ['Biller', 'BL'] })
  t.deepEqual(
    body.claims.map(({ claim: name, value, status }) => [name, value, status]),
    [
      ['colour', 'red', 'current'],
      ['database', 'Postgres', 'current'],
      ['database', 'MySQL', 'contested'],
      ['day', 'Tuesday', 'current'],
    ],
  )
  t.deepEqual(
    body.links.map(({ relation }) => relation),
    ['uses'],
  )
  const [again, back, late] = await perform(daemon, [
    operation('merge_entities', { from: biller ?? '', into: 'Orion' }),
    operation('merge_entities', { from: 'Orion', into: 'Biller' }),
    operation('add_alias', { entity: biller ?? '', alias: 'the till' }, from('Biller')),
  ])
  t.like(again, { status: 'rejected', blockedReason: 'merge_cycle' })
  t.like(back, { status: 'rejected', blockedReason: 'merge_cycle' })
  t.like(late, { status: 'applied', id: orion })
  const raw = openRaw(t, daemon.paths.database)
  t.is(raw.prepare("SELECT count(*) FROM attentions WHERE kind = 'contradiction'").pluck().get(), 1)
})
