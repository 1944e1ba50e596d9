import test, { type ExecutionContext } from 'ava'
import { openTestStore } from '../../../../helpers/store.js'

const at = '2026-01-01T00:00:00.000Z'
const agent = 'default'
const most = 4

const operation = {
  id: 'o',
  agent_id: agent,
  operation: 'assert_claim',
  payload: '{}',
  reason: 'test',
  confidence: 1,
  mode: 'apply',
  status: 'applied',
  changed_by: 'ada',
  actor_type: 'operator',
  request_id: 'r',
  created_at: at,
}
const span = { agent_id: agent, operation_id: 'o', source_kind: 'memory', quote: 'x' }
/** Claim versions, each with a memory that states it. */
const said = [
  ['v1', 'm1'],
  ['v1', 'm3'],
  ['v1', 'm2'],
  ['v0', 'm4'],
  ['v2', 'm5'],
] as const

/** Creates an entity with a name and slots. */
async function createEntity(t: ExecutionContext, name: string, slots: readonly string[]) {
  const { tables } = openTestStore(t).store
  const entity = {
    id: 'e',
    agent_id: agent,
    name,
    name_key: name,
    entity_type: 'thing',
    pinned: 0,
    mentions: 0,
  }
  await tables.entities.insert({ ...entity, created_at: at, updated_at: at })
  await tables.entities.putName({ agent_id: agent, name_key: name, entity_id: 'e', name })
  for (const [n, claim] of slots.entries())
    await tables.claims.insertClaim({
      id: `c${n}`,
      agent_id: agent,
      entity_id: 'e',
      aspect: `side ${n}`,
      aspect_key: `side ${n}`,
      group_name: 'general',
      group_key: 'general',
      claim,
      claim_key: claim,
      kind: 'attribute',
      created_at: at,
    })
  return tables
}

test('the beginnings of names are reported with the kinds of things they name', async t => {
  const { recallPaths } = await createEntity(t, 'new york', ['time zone'])
  const begins = await recallPaths.beginning(agent, ['new', 'york', 'time', 'ti', 'general', 'side'])
  t.deepEqual(Object.fromEntries(Object.entries(begins).map(([part, words]) => [part, [...words]])), {
    entity: ['new'],
    claim: ['time'],
    aspect: ['side'],
    group: [],
  })
  t.deepEqual([...(await recallPaths.beginning('other', ['new'])).entity], [])
})

test('slots with a rare name are returned, those with a common name only counted', async t => {
  const few = Array.from({ length: most - 1 }, () => 'colour')
  const { recallPaths } = await createEntity(t, 'orion', [
    ...few,
    ...Array.from({ length: most }, () => 'database'),
  ])
  const keys = ['orion', 'colour', 'database', 'general']
  const found = await recallPaths.named(agent, { entity: keys, claim: keys, aspect: keys, group: keys }, most)
  t.deepEqual(
    found.map(({ part, key, entity_id, claim_id }) => [part, key, entity_id ?? claim_id]),
    [['entity', 'orion', 'e'], ...few.map((key, n) => ['claim', key, `c${n}`]), ['claim', 'database', null]],
  )
})

test('the most certain values and named slots of an entity are followed to their newest memories', async t => {
  const tables = await createEntity(t, 'orion', ['colour', 'database', 'host'])
  for (const [n, confidence] of [0.1, 0.9, 0.5].entries())
    await tables.claims.insertVersion({
      id: `v${n}`,
      claim_id: `c${n}`,
      entity_id: 'e',
      value: 'x',
      value_hash: 'x',
      confidence,
      status: 'current',
      recorded_at: at,
    })
  await tables.ontologyRecords.insertOperation(operation)
  for (const [n, [subject_id, source_id]] of said.entries())
    await tables.evidenceSpans.insert({ ...span, id: `s${n}`, subject_id, source_id })
  const asked = { agentId: agent, claims: [], entities: ['e'], project: undefined, now: at }
  const paths = async (keys: readonly string[]) =>
    (await tables.recallPaths.claimPaths({ ...asked, keys, perEntity: 1, perValue: 2 })).map(
      ({ version_id, memory_id }) => `${version_id} ${memory_id}`,
    )
  t.deepEqual(await paths([]), ['v1 m2', 'v1 m3'])
  t.deepEqual(await paths(['colour', 'nothing']), ['v0 m4', 'v1 m2', 'v1 m3'])
})

test('entities are found by the names of their slots', async t => {
  const { recallPaths } = await createEntity(t, 'orion', ['colour'])
  const has = async (...keys: string[]) => [...(await recallPaths.withSlotNamed(agent, ['e', 'x'], keys))]
  t.deepEqual(await has('blue', 'colour'), ['e'])
  t.deepEqual(await has('side 0'), ['e'])
  t.deepEqual(await has('general', 'blue'), [])
})
