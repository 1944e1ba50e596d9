import test from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { openRaw } from '../../helpers/store.js'

async function perform({ call }: TestDaemon, memory: string, quote: string, operations: readonly object[]) {
  const evidence = [{ sourceKind: 'memory', sourceId: memory, quote }]
  const all = operations.map(operation => ({ reason: 'test', confidence: 1, evidence, ...operation }))
  const { body } = await call('POST /api/ontology/operations', { body: { operations: all } as never })
  return body.results.map(({ id }) => String(id))
}

test('memories are linked to the entities they name, no entity is created, and each link is recorded (operations.md 5.6)', async t => {
  const daemon = await startDaemon(t)
  const source = await daemon.remember('Zürich Crane is a tool')
  await perform(daemon, source, 'Zürich Crane', [
    { operation: 'create_entity', payload: { name: 'Zürich Crane', type: 'tool', aliases: ['ZC++'] } },
  ])
  const one = await daemon.remember('we bought a ZURICH  crane yesterday')
  const two = await daemon.remember('the new ZC++ lifts more')
  await daemon.remember('nothing is named here')
  const call = (body: object) => daemon.call('POST /api/repair/relink-entities', { body: body as never })
  const { body: dry } = await call({ dryRun: true })
  t.like(dry, {
    dryRun: true,
    processed: 3,
    linked: 2,
    entities: 1,
    aspects: 0,
    attributes: 0,
    projectedRemaining: 1,
  })
  const { body: first } = await call({ batchSize: 1 })
  t.like(first, { action: 'relink-entities', processed: 1, linked: 1, remaining: 2, projectedRemaining: 2 })
  const { body: rest } = await call({})
  t.like(rest, { processed: 2, linked: 1, remaining: 0, projectedRemaining: 1, details: { complete: true } })
  const { body } = await daemon.call('GET /api/ontology/entities')
  t.like(body, { count: 1 })
  t.is(body.entities[0]?.mentions, 3)
  const raw = openRaw(t, daemon.paths.database)
  t.deepEqual(
    raw
      .prepare(
        `SELECT s.source_id AS id, s.quote FROM ontology_operations o JOIN evidence_spans s ON s.operation_id = o.id
         WHERE o.operation = 'mention_entity' AND o.status = 'applied' ORDER BY o.id`,
      )
      .all(),
    [
      { id: one, quote: 'ZURICH crane' },
      { id: two, quote: 'ZC++' },
    ],
  )
  // The end of a round corrects wrong counts.
  raw.prepare('UPDATE entities SET mentions = 99').run()
  await call({})
  t.is(raw.prepare('SELECT mentions FROM entities').pluck().get(), 3)
  t.is((await call({ agentId: 'maya' })).body.processed, 0)
})

test('an entity without a name gets its own name back, unless another entity has it (operations.md 5.6)', async t => {
  const daemon = await startDaemon(t)
  const source = await daemon.remember('Crane and Ferry')
  const entity = (name: string) => ({ operation: 'create_entity', payload: { name, type: 'tool' } })
  const ids = await perform(daemon, source, 'Crane and Ferry', [entity('Crane'), entity('Ferry')])
  const raw = openRaw(t, daemon.paths.database)
  raw.prepare('DELETE FROM entity_names').run()
  raw.prepare("INSERT INTO entity_names VALUES ('default', 'ferry', ?, 'Ferry', 1)").run(ids[0])
  await daemon.call('POST /api/repair/relink-entities')
  const names = () =>
    raw.prepare('SELECT name_key, entity_id FROM entity_names ORDER BY name_key').raw().all()
  t.deepEqual(names(), [['ferry', ids[0]]], 'it has a name, and the other entity’s name is taken')
  raw.prepare('DELETE FROM entity_names').run()
  await daemon.call('POST /api/repair/relink-entities')
  t.deepEqual(names(), [
    ['crane', ids[0]],
    ['ferry', ids[1]],
  ])
})

test('meaningless entities are removed, unless they are pinned or have facts (operations.md 5.6)', async t => {
  const daemon = await startDaemon(t)
  const source = await daemon.remember('the system uses things, users and Orama; files hold data')
  const entity = (name: string, pinned = false) => ({
    operation: 'create_entity',
    payload: { name, type: 'concept', pinned },
  })
  const quote = 'the system'
  await perform(daemon, source, quote, [
    entity('The System'),
    entity('things'),
    entity('users', true),
    entity('Orama'),
    entity('files'),
    entity('2024'),
    {
      operation: 'assert_claim',
      payload: { entity: 'files', aspect: 'content', claim: 'holds', value: 'data' },
    },
  ])
  const call = (body: object) =>
    daemon.call('POST /api/repair/prune-generic-entities', { body: body as never })
  const { body: dry } = await call({})
  t.like(dry, { action: 'pruneGenericEntities', success: true, affected: 3 })
  t.like(dry.details, {
    status: 'complete',
    complete: true,
    inspected: 6,
    matched: 3,
    reason: null,
    cursor: null,
  })
  t.is((await daemon.call('GET /api/ontology/entities')).body.count, 6)
  const { body: some } = await call({ inspectionLimit: 2 })
  t.like(some.details, { status: 'partial', inspected: 2, remaining: 4, reason: 'limit' })
  const { body: onwards } = await call({ cursor: some.details?.cursor, dryRun: false })
  t.like(onwards.details, { status: 'complete', inspected: 4 })
  const { body } = await call({ dryRun: false, candidateLimit: 1000 })
  t.is(onwards.affected + body.affected, 3)
  t.like(body.details, { candidateLimit: 500, inspectionLimit: 1000 })
  const { entities } = (await daemon.call('GET /api/ontology/entities')).body
  t.deepEqual(entities.map(({ name }) => name).sort(), ['Orama', 'files', 'users'])
  const raw = openRaw(t, daemon.paths.database)
  const audit = raw
    .prepare("SELECT payload FROM ontology_operations WHERE operation = 'prune_entity'")
    .pluck()
    .all()
  t.true(audit.some(payload => String(payload).includes('The System')))
  t.deepEqual(raw.pragma('foreign_key_check'), [])
  const forbidden = await daemon.call('POST /api/ontology/operations', {
    body: {
      operations: [{ operation: 'prune_entity', payload: { entity: 'Orama' }, reason: 'r', confidence: 1 }],
    } as never,
  })
  t.is(forbidden.status, 400)
})
