import test from 'ava'
import type { ReviewDecision } from '../../../src/contract/knowledge/ontology-review.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { factsOf } from '../../helpers/dreaming.js'
import { operation, perform } from '../../helpers/ontology.js'
import { openRaw } from '../../helpers/store.js'

const slot = { entity: 'scheduler', entityType: 'component', aspect: 'network', claim: 'port' }

/** Stores a port, and another one that contradicts it. */
async function contradict(daemon: TestDaemon, aspect = 'network') {
  const old = await daemon.remember(`The scheduler has ${aspect} port 6230`)
  const fresh = await daemon.remember(`The scheduler got ${aspect} port 7421`)
  await perform(daemon, [
    operation('assert_claim', { ...slot, aspect, value: '6230' }, { [old]: `${aspect} port 6230` }),
    operation('assert_claim', { ...slot, aspect, value: '7421' }, { [fresh]: `${aspect} port 7421` }),
  ])
  return { old, fresh }
}

const cards = async ({ call }: Pick<TestDaemon, 'call'>, query: object = {}) =>
  (await call('GET /api/ontology/review', { query: query as { limit?: number } })).body

const decide = async ({ call }: Pick<TestDaemon, 'call'>, id: string, decision: ReviewDecision) =>
  (await call('POST /api/ontology/review', { body: { decisions: [{ id, decision }] } })).body

/** Rows of facts, for comparing states before and after. */
function rowsOf(raw: ReturnType<typeof openRaw>): unknown[] {
  const tables = ['entities', 'entity_names', 'claims', 'claim_versions', 'entity_links', 'entity_mentions']
  const all = tables.map(table => raw.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all())
  return [
    ...all.map(rows => rows.map(row => ({ ...(row as object), updated_at: '' }))),
    raw.prepare('SELECT id, status, decided_reason FROM ontology_proposals ORDER BY id').all(),
    raw.prepare('SELECT id, subject_id FROM evidence_spans WHERE subject_id IS NOT NULL ORDER BY id').all(),
  ]
}

test('a contradiction is a card with two values, their quotes and sources', async t => {
  const daemon = await startDaemon(t)
  const { old, fresh } = await contradict(daemon)
  const body = await cards(daemon)
  t.like(body, { count: 1, waiting: 1, decidedToday: 0, leftToday: 10 })
  t.like(body.cards[0], {
    kind: 'contradiction',
    entity: 'scheduler',
    title: 'network > port',
    choices: ['keep', 'replace', 'both', 'not_a_fact'],
  })
  t.like(body.cards[0]?.current, {
    text: 'port: 6230',
    sources: [{ kind: 'memory', id: old, quote: 'network port 6230' }],
  })
  t.like(body.cards[0]?.suggested, {
    text: 'port: 7421',
    sources: [{ kind: 'memory', id: fresh, quote: 'network port 7421' }],
  })
  const { body: status } = await daemon.call('GET /api/status')
  t.is(status.health?.waiting?.total, body.waiting)
})

for (const [decision, facts] of [
  ['keep', ['network port = 6230']],
  ['replace', ['network port = 7421']],
  ['both', ['network port = 6230', 'network port = 7421']],
  ['not_a_fact', ['network port = 6230']],
] as const)
  test(`the decision ${decision} leaves ${facts.length === 1 ? 'one value' : 'two values'}, and an undo brings all rows back`, async t => {
    const daemon = await startDaemon(t)
    await contradict(daemon)
    const raw = openRaw(t, daemon.paths.database)
    const before = rowsOf(raw)
    const id = (await cards(daemon)).cards[0]?.id ?? ''
    t.like(await decide(daemon, id, decision), { results: [{ id, status: 'decided' }] })
    t.deepEqual((await factsOf(daemon, 'scheduler')).sort(), [...facts])
    t.like(await cards(daemon), { count: 0, waiting: 0, decidedToday: 1, leftToday: 9 })
    t.like((await decide(daemon, id, decision)).results[0], { status: 'already_decided' })
    const undone = await daemon.call('POST /api/ontology/undo', { body: {} })
    t.like(undone.body, { status: 'undone' })
    t.deepEqual(rowsOf(raw), before)
    t.like(await cards(daemon), { count: 1, decidedToday: 0 })
    t.is((await daemon.call('POST /api/ontology/undo', { body: {} })).status, 404)
  })

test('a new fact is a card without a current value; taking it creates its entity, and an undo removes it', async t => {
  const daemon = await startDaemon(t)
  const memory = await daemon.remember('The ferry Orion sails on Tuesdays')
  const day = { entity: 'Orion', entityType: 'ship', aspect: 'timetable', claim: 'day', value: 'Tuesday' }
  await perform(daemon, [operation('assert_claim', day, { [memory]: 'Tuesdays' })], { mode: 'propose' })
  const raw = openRaw(t, daemon.paths.database)
  const before = rowsOf(raw)
  const [card] = (await cards(daemon)).cards
  t.like(card, { kind: 'fact', entity: 'Orion', current: null, choices: ['replace', 'not_a_fact'] })
  await decide(daemon, card?.id ?? '', 'replace')
  t.deepEqual(await factsOf(daemon, 'Orion'), ['timetable day = Tuesday'])
  t.is((await daemon.call('POST /api/ontology/undo', { body: {} })).body.status, 'undone')
  t.deepEqual(rowsOf(raw), before)
})

test('the same suggestion from several memories is one card with several quotes, decided once', async t => {
  const daemon = await startDaemon(t)
  const memories = [
    await daemon.remember('Ann owns the scheduler'),
    await daemon.remember('the scheduler belongs to Ann'),
  ]
  for (const [memory, quote] of memories.map(
    (id, n) => [id, n === 0 ? 'Ann owns' : 'belongs to Ann'] as const,
  ))
    await perform(
      daemon,
      [
        operation(
          'assert_claim',
          { ...slot, aspect: 'people', claim: 'owner', value: 'Ann' },
          { [memory]: quote },
        ),
      ],
      { mode: 'propose' },
    )
  const body = await cards(daemon)
  t.like(body, { count: 1, waiting: 2 })
  t.is(body.cards[0]?.suggested.sources.length, 2)
  await decide(daemon, body.cards[0]?.id ?? '', 'replace')
  t.like(await cards(daemon), { count: 0, waiting: 0, decidedToday: 1 })
  t.deepEqual(await factsOf(daemon, 'scheduler'), ['people owner = Ann'])
  await daemon.call('POST /api/ontology/undo', { body: {} })
  t.is((await cards(daemon)).waiting, 2)
})

test('ten cards a day are shown, contradictions first, those of an entity together, and all of them on request', async t => {
  const daemon = await startDaemon(t)
  const memory = await daemon.remember('many things are said here')
  const facts = Array.from({ length: 12 }, (_, n) =>
    operation(
      'assert_claim',
      { entity: `part ${n % 3}`, entityType: 'part', aspect: 'size', claim: `side ${n}`, value: `${n}` },
      { [memory]: 'many things' },
    ),
  )
  await perform(daemon, facts, { mode: 'propose' })
  await contradict(daemon)
  const body = await cards(daemon)
  t.like(body, { count: 10, waiting: 13, leftToday: 10 })
  t.is(body.cards[0]?.kind, 'contradiction')
  const names = body.cards.map(({ entity }) => entity)
  t.is(new Set(names.filter((name, n) => name !== names[n - 1])).size, new Set(names).size)
  t.is((await cards(daemon, { all: 'true', limit: 100 })).count, 13)
  t.is((await cards(daemon, { entity: 'scheduler' })).count, 1)
  const decisions = body.cards.map(({ id, choices }) => ({ id, decision: choices[0] ?? ('keep' as const) }))
  const { body: done } = await daemon.call('POST /api/ontology/review', { body: { decisions } })
  t.true(done.results.every(({ status }) => status === 'decided'))
  t.like(await cards(daemon), { count: 0, waiting: 3, leftToday: 0 })
  const { body: undone } = await daemon.call('POST /api/ontology/undo', { body: { batch: done.batch } })
  t.is(undone.status, 'undone')
  t.like(await cards(daemon), { count: 10, waiting: 13 })
})

test('an undo is refused once the fact has changed again', async t => {
  const daemon = await startDaemon(t)
  await contradict(daemon)
  const id = (await cards(daemon)).cards[0]?.id ?? ''
  await decide(daemon, id, 'replace')
  const memory = await daemon.remember('port 9000 it is')
  const { body } = await daemon.call('GET /api/ontology/entities/:id', { params: { id: 'scheduler' } })
  const version = body.claims[0]?.id ?? ''
  await perform(daemon, [operation('supersede_claim', { version, value: '9000' }, { [memory]: 'port 9000' })])
  const undone = await daemon.call('POST /api/ontology/undo', { body: {} })
  t.is(undone.status, 409)
  t.deepEqual(await factsOf(daemon, 'scheduler'), ['network port = 9000'])
})

test('only a person decides and undoes', async t => {
  const daemon = await startDaemon(t)
  await contradict(daemon)
  const id = (await cards(daemon)).cards[0]?.id ?? ''
  const headers = { 'x-service-actor-type': 'agent' }
  const decisions = [{ id, decision: 'keep' as const }]
  t.is((await daemon.call('POST /api/ontology/review', { body: { decisions }, headers })).status, 403)
  t.is((await daemon.call('POST /api/ontology/undo', { body: {}, headers })).status, 403)
})

test('entities are merged, split and renamed by a person, and each is undone exactly', async t => {
  const daemon = await startDaemon(t)
  const said = 'Ann Keller owns billing; Anna likes tea; both use Postgres'
  const memory = await daemon.remember(said)
  const from = { [memory]: said }
  const results = await perform(daemon, [
    operation('create_entity', { name: 'Ann Keller', type: 'person', aliases: ['AK'] }, from),
    operation('create_entity', { name: 'Anna', type: 'person' }, from),
    operation(
      'assert_claim',
      { entity: 'Ann Keller', aspect: 'work', claim: 'owns', value: 'billing' },
      from,
    ),
    operation('assert_claim', { entity: 'Anna', aspect: 'taste', claim: 'drink', value: 'tea' }, from),
    operation('assert_claim', { entity: 'Anna', aspect: 'work', claim: 'owns', value: 'the shop' }, from),
    operation('link', { from: 'Anna', relation: 'uses', to: 'Postgres', toType: 'tool' }, from),
    operation('link', { from: 'Ann Keller', relation: 'uses', to: 'Postgres' }, from),
  ])
  const raw = openRaw(t, daemon.paths.database)
  const first = rowsOf(raw)
  const undo = async () => (await daemon.call('POST /api/ontology/undo', { body: {} })).body.status
  const [merged] = await perform(daemon, [operation('merge_entities', { from: 'Anna', into: 'Ann Keller' })])
  t.is(merged?.status, 'applied')
  t.deepEqual(await factsOf(daemon, 'Anna'), [
    'taste drink = tea',
    'work owns = billing',
    'work owns ? the shop',
  ])
  const joined = rowsOf(raw)
  const [split] = await perform(daemon, [
    operation('split_entity', {
      entity: 'Ann Keller',
      name: 'Anna',
      facts: [results[3]?.id ?? '', results[6]?.id ?? ''],
    }),
  ])
  t.is(split?.status, 'applied', JSON.stringify(split))
  t.deepEqual(await factsOf(daemon, 'Anna'), ['taste drink = tea'])
  const { body } = await daemon.call('GET /api/ontology/entities/:id', { params: { id: 'Anna' } })
  t.like(body, { entity: { mentions: 1 }, links: [{ relation: 'uses' }] })
  t.is(await undo(), 'undone')
  t.deepEqual(rowsOf(raw), joined)
  t.is(await undo(), 'undone')
  t.deepEqual(rowsOf(raw), first)
  const [named] = await perform(daemon, [
    operation('add_alias', { entity: 'Anna', alias: 'the tea drinker' }),
  ])
  t.is(named?.status, 'applied')
  t.deepEqual(await factsOf(daemon, 'The Tea Drinker'), ['taste drink = tea', 'work owns = the shop'])
  t.is(await undo(), 'undone')
  t.deepEqual(rowsOf(raw), first)
})
