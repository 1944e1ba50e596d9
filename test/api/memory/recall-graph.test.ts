import test, { type ExecutionContext } from 'ava'
import type { Request } from '../../../src/contract/api.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { operation, perform } from '../../helpers/ontology.js'

type Body = Partial<Request<'POST /api/memory/recall'>['body']>

/** Enables every part of the graph; by default all are disabled. */
const every = { claims: true, traversal: true, cards: true }

/** Saves a ferry whose timetable is in a memory without its name, and an island in another memory. */
async function startWithFerry(t: ExecutionContext, recall: Record<string, boolean> = every) {
  const daemon = await startDaemon(t, { settings: { recall } })
  const named = await daemon.remember('Orion is our ferry, some call it the Blue Whale')
  const said = await daemon.remember('she leaves on Tuesdays at nine')
  const linked = await daemon.remember('Orion sails to Amrum')
  const island = await daemon.remember('Amrum has one bakery, it closes at noon')
  await daemon.remember('the crane was painted yellow')
  const results = await perform(daemon, [
    operation(
      'create_entity',
      { name: 'Orion', type: 'ship', aliases: ['Blue Whale'] },
      { [named]: 'Orion is our ferry' },
    ),
    operation('create_entity', { name: 'Amrum', type: 'place' }, { [island]: 'Amrum has one bakery' }),
    operation(
      'assert_claim',
      { entity: 'Orion', aspect: 'timetable', claim: 'departure', value: 'Tuesdays at nine' },
      { [said]: 'Tuesdays at nine' },
    ),
    operation(
      'link',
      { from: 'Orion', relation: 'sails to', to: 'Amrum' },
      { [linked]: 'Orion sails to Amrum' },
    ),
  ])
  t.true(results.every(({ status }) => status === 'applied'))
  return { ...daemon, named, said, linked, island, version: results[2]?.id ?? '' }
}

/** Returns the channels that found each row. */
async function channelsOf({ call }: Pick<TestDaemon, 'call'>, query: string, body: Body = {}) {
  const reply = await call('POST /api/memory/recall', { body: { query, score_min: 0, ...body } })
  return Object.fromEntries(
    reply.body.results.filter(row => !row.supplementary).map(({ id, source }) => [id, source]),
  )
}

test('a query that names an entity and a slot finds the memory with its value (recall.md 1.3.5)', async t => {
  const daemon = await startWithFerry(t)
  const { said } = daemon
  for (const query of ['Orion departure', 'Orion timetable', 'blue whale departure', 'departure of Orion'])
    t.is((await channelsOf(daemon, query))[said], 'claims+traversal', query)
  t.is((await channelsOf(daemon, 'which departure'))[said], 'claims')
  const [first] = await daemon.recall('departure of the Blue Whale')
  t.is(first, said)
})

test('memories one link away from a named entity are found (recall.md 1.3.5)', async t => {
  const daemon = await startWithFerry(t)
  t.is((await channelsOf(daemon, 'Blue Whale'))[daemon.island], 'traversal')
  const { body } = await daemon.call('POST /api/memory/recall', {
    body: { query: 'Blue Whale', explain: true, score_min: 0 },
  })
  const far = body.results.find(({ id }) => id === daemon.island)?.explain?.contributions[0]?.value ?? 0
  const near = body.results.find(({ id }) => id === daemon.linked)?.explain?.contributions[0]?.value ?? 0
  t.true(far > 0 && far < near, `${far} against ${near}`)
})

test('by default a recall does not use the knowledge graph (recall.md#the-graph)', async t => {
  const daemon = await startWithFerry(t, {})
  t.is((await channelsOf(daemon, 'Orion departure'))[daemon.said], undefined)
  const { body } = await daemon.call('POST /api/memory/recall', { body: { query: 'Orion departure' } })
  t.is(body.meta.timings.graph, undefined)
  t.false(body.meta.hasSupplementary)
})

test('graph candidates pass the data boundary and filters like every row (recall.md 1.3.5)', async t => {
  const daemon = await startWithFerry(t)
  const { said } = daemon
  const found = async (body: Body) => (await channelsOf(daemon, 'Orion departure', body))[said]
  t.is(await found({ agentId: 'maya' }), undefined, 'another agent has its own knowledge')
  t.is(await found({ project: '/elsewhere' }), undefined)
  t.is(await found({ type: 'rule' }), undefined)
  t.is(await found({ scope: 'night' }), undefined)
  t.is(await found({ until: '2001-01-01T00:00:00Z' }), undefined)
  t.truthy(await found({ type: 'fact' }))
  await daemon.call('DELETE /api/memory/:id', { params: { id: said }, query: { reason: 'old' } })
  t.is(await found({}), undefined, 'forgotten')
})

test('a private memory of another agent is never a graph candidate (recall.md 1.3.5)', async t => {
  const daemon = await startDaemon(t, { settings: { recall: every } })
  const secret = await daemon.remember('she leaves at dawn', { agentId: 'maya', visibility: 'private' })
  const from = { [secret]: 'she leaves at dawn' }
  const slot = { entity: 'Orion', aspect: 'timetable', claim: 'departure', value: 'dawn' }
  await perform(
    daemon,
    [
      operation('create_entity', { name: 'Orion', type: 'ship' }, from),
      operation('assert_claim', slot, from),
    ],
    { agentId: 'maya' },
  )
  t.deepEqual(await channelsOf(daemon, 'Orion departure'), {})
  t.deepEqual(await channelsOf(daemon, 'Orion departure', { agentId: 'maya' }), {
    [secret]: 'claims+traversal',
  })
})

test('replaced, retracted and expired values lead to no memory (recall.md 1.3.5)', async t => {
  const daemon = await startWithFerry(t)
  const { said, version } = daemon
  const newer = await daemon.remember('from now on she leaves on Fridays')
  await perform(daemon, [
    operation('supersede_claim', { version, value: 'Fridays' }, { [newer]: 'she leaves on Fridays' }),
  ])
  const found = await channelsOf(daemon, 'departure')
  t.is(found[said], undefined)
  t.is(found[newer], 'claims')
})

test('an unreadable graph is skipped and reported (recall.md 1.3.9)', async t => {
  const daemon = await startWithFerry(t)
  daemon.daemon.store.tables.recallPaths.named = async () => {
    throw new Error('no graph today')
  }
  const { status, body } = await daemon.call('POST /api/memory/recall', { body: { query: 'Orion ferry' } })
  t.is(status, 200)
  t.deepEqual(body.meta.skipped, ['graph'])
  t.is(body.results[0]?.id, daemon.named)
})

test('a named entity gets a card beside the memories, with the source of each value (recall.md 1.3.10)', async t => {
  const daemon = await startWithFerry(t)
  const { said, version } = daemon
  const { body } = await daemon.call('POST /api/memory/recall', {
    body: { query: 'when does the ferry Orion go' },
  })
  t.true(body.meta.hasSupplementary)
  const card = body.results.find(({ source }) => source === 'graph')
  t.like(card, {
    content: 'Orion (ship): timetable departure: Tuesdays at nine',
    type: 'entity',
    supplementary: true,
    source_type: 'ontology',
  })
  t.like(card?.entity, { name: 'Orion', type: 'ship' })
  t.like(card?.entity?.values[0], {
    id: version,
    aspect: 'timetable',
    claim: 'departure',
    value: 'Tuesdays at nine',
    sources: [{ kind: 'memory', id: said }],
  })
  t.true(body.results.slice(0, -1).every(({ supplementary }) => supplementary !== true))
})

test('a card excludes facts outside the reader’s boundary or the filters (recall.md#entity-cards)', async t => {
  const daemon = await startWithFerry(t)
  const card = async (body: Body = {}, query = 'Orion departure') => {
    const reply = await daemon.call('POST /api/memory/recall', { body: { query, ...body } })
    return reply.body.results.find(({ source }) => source === 'graph')
  }
  t.truthy(await card())
  for (const body of [
    { agentId: 'maya' },
    { project: '/elsewhere' },
    { type: 'fact' },
    { limit: 1 },
  ] as Body[])
    t.is(await card(body), undefined, JSON.stringify(body))
  t.is(await card({}, 'the crane was painted'), undefined)
  await daemon.call('DELETE /api/memory/:id', { params: { id: daemon.said }, query: { reason: 'old' } })
  t.is(await card(), undefined)
})

test('a session gets a card again when it has new facts (recall.md#entity-cards)', async t => {
  const daemon = await startWithFerry(t)
  const cards = async () => {
    const body = { query: 'Orion departure', sessionKey: 's' }
    const reply = await daemon.call('POST /api/memory/recall', { body })
    return reply.body.results.filter(({ source }) => source === 'graph').map(({ content }) => content)
  }
  t.is((await cards()).length, 1)
  t.deepEqual(await cards(), [])
  const newer = await daemon.remember('since May she leaves on Fridays')
  await perform(daemon, [
    operation(
      'supersede_claim',
      { version: daemon.version, value: 'Fridays' },
      { [newer]: 'she leaves on Fridays' },
    ),
  ])
  t.deepEqual(await cards(), ['Orion (ship): timetable departure: Fridays'])
})

test('if a card is the only result, it contains only the slots that the query names (recall.md#entity-cards)', async t => {
  const daemon = await startWithFerry(t)
  const found = async (query: string, body: Body = {}) => {
    const reply = await daemon.call('POST /api/memory/recall', { body: { query, sessionKey: 's', ...body } })
    return reply.body.results.map(({ source }) => source)
  }
  const memories = await found('Orion departure', { type: 'fact' })
  t.true(memories.length > 0 && !memories.includes('graph'))
  t.deepEqual(await found('Orion'), [])
  t.deepEqual(await found('Orion departure'), ['graph'])
})

test('ratings affect graph paths only in their session (recall.md 4.9)', async t => {
  const daemon = await startWithFerry(t)
  const pointsFor = async (sessionKey: string) => {
    const { body } = await daemon.call('POST /api/memory/recall', {
      body: { query: 'Blue Whale', sessionKey, includeRecalled: true, explain: true, score_min: 0 },
    })
    const row = body.results.find(({ id }) => id === daemon.island)
    return row?.explain?.contributions.find(({ step }) => step === 'traversal')?.value ?? 0
  }
  const before = await pointsFor('s')
  const { body } = await daemon.call('POST /api/memory/feedback', {
    body: { session_key: 's', ratings: { [daemon.named]: -1 } },
  })
  t.like(body, { accepted: 1, propagated: 1 })
  t.true((await pointsFor('s')) < before)
  t.is(await pointsFor('other'), before)
  await daemon.call('POST /api/memory/feedback', {
    body: { session_key: 's', ratings: { [daemon.named]: 0 } },
  })
  t.is(await pointsFor('s'), before)
})
