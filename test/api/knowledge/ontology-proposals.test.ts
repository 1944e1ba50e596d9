import test from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { applied, operation, perform } from '../../helpers/ontology.js'

const list = async ({ call }: TestDaemon, query = {}) =>
  (await call('GET /api/ontology/proposals', { query })).body.proposals

const decide = ({ call }: TestDaemon, id: string, verb: 'apply' | 'reject', headers = {}) =>
  call(`POST /api/ontology/proposals/:id/${verb}`, { params: { id }, body: { reason: 'a person' }, headers })

const history = async ({ call }: TestDaemon, id: string) =>
  (await call('GET /api/memory/:id/history', { params: { id } })).body.history.filter(
    ({ event }) => event === 'none',
  )

test('a proposal changes nothing until a person applies it (knowledge.md#proposals)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('Orion runs on Postgres')
  const create = operation('create_entity', { name: 'Orion', type: 'project' }, { [id]: 'Orion' })
  const [proposed] = await perform(daemon, [create], { mode: 'propose' })
  t.like(proposed, { status: 'proposed', id: undefined })
  const [one] = await list(daemon)
  t.like(one, {
    id: proposed?.proposalId,
    status: 'pending',
    operation: 'create_entity',
    payload: { name: 'Orion', type: 'project' },
    evidence: [{ quote: 'Orion', matches: true }],
    before: null,
  })
  t.is((await daemon.call('GET /api/ontology/entities')).body.count, 0)
  const agent = { 'x-service-actor-type': 'agent' }
  t.is((await decide(daemon, one?.id ?? '', 'apply', agent)).status, 403)
  const both = await Promise.all([1, 2].map(() => decide(daemon, one?.id ?? '', 'apply')))
  t.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
  t.is((await daemon.call('GET /api/ontology/entities')).body.count, 1)
  t.is((await decide(daemon, one?.id ?? '', 'reject')).body.code, 'already_decided')
  t.is((await decide(daemon, 'nothing', 'apply')).status, 404)
  t.like(await list(daemon, { status: 'applied' }), [{ decidedReason: 'a person' }])
  t.deepEqual(
    (await history(daemon, id)).map(({ metadata }) => (metadata as { outcome: string }).outcome),
    ['proposed', 'applied'],
  )
})

test('operations in shadow mode are recorded, but neither applied nor shown for review (knowledge.md#proposals)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('Orion runs on Postgres')
  const create = operation('create_entity', { name: 'Orion', type: 'project' }, { [id]: 'Orion' })
  const made = operation('create_entity', { name: 'Vega', type: 'project' }, { [id]: 'Vega' })
  const [tried, fabricated] = await perform(daemon, [create, made], { mode: 'shadow' })
  t.like(tried, { status: 'proposed', id: undefined })
  t.like(fabricated, { status: 'rejected', blockedReason: 'evidence_mismatch' })
  t.is((await daemon.call('GET /api/ontology/entities')).body.count, 0)
  t.deepEqual(await list(daemon), [])
  t.like(await list(daemon, { status: 'shadow' }), [{ id: tried?.proposalId, operation: 'create_entity' }])
  t.is((await decide(daemon, tried?.proposalId ?? '', 'apply')).status, 409)
  const [event] = await history(daemon, id)
  t.like(event, { changedBy: 'pipeline-shadow', metadata: { shadow: true, proposedAction: 'create_entity' } })
})

test('a contradicting value waits beside the current one, and either replaces it or is retracted (knowledge.md#contradictions)', async t => {
  const daemon = await startDaemon(t)
  const old = await daemon.remember('Orion runs on Postgres')
  const news = await daemon.remember('Orion runs on MySQL, or on Oracle')
  await applied(t, daemon, operation('create_entity', { name: 'Orion', type: 'project' }, { [old]: 'Orion' }))
  const say = (value: string, from: Record<string, string>) =>
    operation('assert_claim', { entity: 'Orion', aspect: 'deployment', claim: 'database', value }, from)
  await applied(t, daemon, say('Postgres', { [old]: 'Postgres' }))
  const results = await perform(daemon, [
    say('MySQL', { [news]: 'MySQL' }),
    say('Oracle', { [news]: 'Oracle' }),
  ])
  t.deepEqual(
    results.map(({ status }) => status),
    ['blocked', 'blocked'],
  )
  const [oracle, mysql] = await list(daemon)
  t.like(mysql, { blockedReason: 'different_value', contradictionRisk: true, before: 'Postgres' })
  t.is((await decide(daemon, oracle?.id ?? '', 'reject')).status, 200)
  t.is((await decide(daemon, mysql?.id ?? '', 'apply')).status, 200)
  const { body } = await daemon.call('GET /api/ontology/claims/explain', {
    query: { entity: 'Orion', aspect: 'deployment', group: 'general', claim: 'database' },
  })
  t.deepEqual(
    body.versions.map(({ value, status }) => [value, status]),
    [
      ['Oracle', 'retracted'],
      ['MySQL', 'current'],
      ['Postgres', 'superseded'],
    ],
  )
  t.is(body.integrity.status, 'verified')
  t.deepEqual(await list(daemon), [])
})

test('operations supersede and forget memories under the rules of rules.md 1.5 (knowledge.md#memories)', async t => {
  const daemon = await startDaemon(t)
  const on = await daemon.remember('the nightly deploy job is enabled')
  const off = await daemon.remember('the nightly deploy job is disabled')
  const moved = await daemon.remember('Orion lives in Berlin')
  const later = await daemon.remember('Hamburg is the seat of Orion')
  const replace = (memory: string, supersededBy: string, quote: string) =>
    operation('supersede_memory', { memory, supersededBy }, { [supersededBy]: quote })
  const [flagged, plain] = await perform(daemon, [
    replace(on, off, 'disabled'),
    replace(moved, later, 'Hamburg'),
  ])
  t.like(flagged, { status: 'blocked', blockedReason: 'contradiction' })
  t.is(plain?.status, 'applied')
  const get = async (id: string) => (await daemon.call('GET /api/memory/:id', { params: { id } })).body
  t.is((await get(moved)).superseded_by, later)
  t.is((await get(on)).superseded_by, null)
  const [event] = await history(daemon, on)
  t.like(event?.metadata, {
    shadow: false,
    proposedAction: 'supersede_memory',
    targetMemoryId: on,
    contradictionRisk: true,
    reviewNeeded: true,
    blockedReason: 'contradiction',
  })
  const headers = { 'x-service-actor-type': 'pipeline' }
  const forget = operation('forget_memory', { memory: moved }, { [later]: 'Hamburg' })
  const [alone] = await perform(daemon, [forget], { headers })
  t.is(alone?.status, 'proposed', 'a forget always needs a person')
  t.like(await list(daemon), [
    { before: 'Orion lives in Berlin' },
    { before: 'the nightly deploy job is enabled' },
  ])
  t.is((await decide(daemon, alone?.proposalId ?? '', 'apply')).body.status, 'applied')
  t.is((await daemon.call('GET /api/memory/:id', { params: { id: moved } })).status, 404)
  const add = operation(
    'add_memory',
    { content: 'Orion is in Hamburg', type: 'fact' },
    { [later]: 'Hamburg' },
  )
  const [added, again] = await perform(daemon, [add, add])
  t.deepEqual([added?.status, again], ['applied', { ...added, index: 1, status: 'deduplicated' }])
  t.like(await get(added?.id ?? ''), { importance: 0.9, source_type: 'ontology', visibility: 'global' })
  t.true((await daemon.recall('where is Orion')).includes(added?.id ?? ''))
})

test('a proposal resolves its ids to names, for readers who may see them (knowledge.md#proposals)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('Orion sails to Amrum on Tuesdays')
  const from = { [id]: 'Orion sails to Amrum' }
  const make = (name: string) => applied(t, daemon, operation('create_entity', { name, type: 'thing' }, from))
  const [orion, amrum] = [await make('Orion'), await make('Amrum')]
  const slot = { entity: orion, aspect: 'timetable', group: 'summer', claim: 'day', value: 'Tuesday' }
  const version = await applied(t, daemon, operation('assert_claim', slot, from))
  const link = await applied(
    t,
    daemon,
    operation('link', { from: orion, relation: 'sails to', to: amrum }, from),
  )
  await perform(
    daemon,
    [
      operation('merge_entities', { from: amrum, into: orion }),
      operation('retract_claim', { version }, from),
      operation('unlink', { link }, from),
      operation('forget_memory', { memory: id }, from),
    ],
    { mode: 'propose' },
  )
  t.deepEqual(
    (await list(daemon)).map(({ names }) => names),
    [
      { [id]: 'Orion sails to Amrum on Tuesdays' },
      { [link]: 'Orion sails to Amrum' },
      { [version]: 'Orion > timetable > summer > day' },
      { [amrum]: 'Amrum', [orion]: 'Orion' },
    ],
  )
})
