import test, { type ExecutionContext } from 'ava'
import type { NewOperation } from '../../../src/contract/knowledge/ontology-operations.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { applied, operation, perform } from '../../helpers/ontology.js'
import { openRaw } from '../../helpers/store.js'
import { startTeam } from '../../helpers/team.js'

const slot = { entity: 'Orion', aspect: 'deployment', group: 'general', claim: 'database' }

/** Explains the usual slot, or another one. */
const explain = (
  daemon: Pick<TestDaemon, 'call'>,
  query: object = {},
  headers: Record<string, string> = {},
) => daemon.call('GET /api/ontology/claims/explain', { query: { ...slot, ...query }, headers })

/** Starts a daemon with an entity and the memory it comes from. */
async function startWithOrion(t: ExecutionContext): Promise<TestDaemon & { memory: string }> {
  const daemon = await startDaemon(t)
  const memory = await daemon.remember('Orion runs on Postgres and deploys on Tuesdays')
  await applied(
    t,
    daemon,
    operation('create_entity', { name: 'Orion', type: 'project' }, { [memory]: 'Orion' }),
  )
  return { ...daemon, memory }
}

const assert = (value: string, from: Record<string, string>, more: object = {}): NewOperation =>
  operation('assert_claim', { ...slot, value, ...more }, from)

test('a fact is explained by its versions, newest first, with their quotes (mcp.md 4.9)', async t => {
  const daemon = await startWithOrion(t)
  const first = await applied(t, daemon, assert('Postgres', { [daemon.memory]: 'runs on Postgres' }))
  const news = await daemon.remember('Orion moved to SQLite')
  const second = await applied(
    t,
    daemon,
    operation('supersede_claim', { version: first, value: 'SQLite' }, { [news]: 'moved to SQLite' }),
  )
  const { status, body } = await explain(daemon, { entity: 'orion', kind: 'attribute' })
  t.is(status, 200)
  t.deepEqual(body.claim, {
    entity: 'Orion',
    aspect: 'deployment',
    group: 'general',
    key: 'database',
    kind: 'attribute',
  })
  t.like(body.versions[0], { id: second, value: 'SQLite', status: 'current', expiredAt: null })
  t.like(body.versions[1], { id: first, value: 'Postgres', status: 'superseded', replacedBy: second })
  t.deepEqual(body.versions[1]?.evidence, [
    {
      sourceKind: 'memory',
      sourceId: daemon.memory,
      quote: 'runs on Postgres',
      start: 6,
      end: 22,
      state: 'stands',
      matches: true,
    },
  ])
  t.deepEqual(body.integrity, { status: 'verified', problems: [] })
  t.is(body.authorization.decision, 'allowed')
  t.false(body.truncated)
  const short = (await explain(daemon, { version_limit: 1 })).body
  t.is(short.versions.length, 1)
  t.true(short.truncated)
  for (const query of [{ entity: 'Vega' }, { claim: 'colour' }, { kind: 'constraint' }, { agent_id: 'maya' }])
    t.is((await explain(daemon, query)).status, 404)
  t.is((await explain(daemon, { max_depth: 4 })).status, 400)
})

test('integrity reflects the sources of today, and is never overstated (knowledge.md#integrity)', async t => {
  const daemon = await startWithOrion(t)
  const other = await daemon.remember('everybody knows that Orion runs on Postgres')
  await perform(daemon, [
    assert('Postgres', { [daemon.memory]: 'runs on Postgres' }),
    assert('Postgres', { [other]: 'Orion runs on Postgres' }),
  ])
  const status = async () => (await explain(daemon)).body.integrity
  t.is((await status()).status, 'verified')
  const params = { id: daemon.memory }
  const body = { reason: 'a test' }
  await daemon.call('DELETE /api/memory/:id', { params, body })
  t.deepEqual(
    (await status()).problems.map(({ problem }) => problem),
    ['source_forgotten'],
  )
  t.is((await status()).status, 'unsupported')
  const told = (await explain(daemon)).body.versions[0]
  t.like(told, { value: 'Postgres', status: 'current' })
  t.deepEqual(
    told?.evidence.map(({ quote, state }) => [quote, state]),
    [
      [null, 'forgotten'],
      ['Orion runs on Postgres', 'stands'],
    ],
  )
  await daemon.call('DELETE /api/memory/:id', { params: { id: other }, body })
  t.like((await explain(daemon)).body.versions[0], { value: null, status: 'unsupported' })
  for (const id of [daemon.memory, other])
    await daemon.call('POST /api/memory/:id/recover', { params: { id }, body })
  t.is((await status()).status, 'verified')
  const raw = openRaw(t, daemon.paths.database)
  raw.prepare('UPDATE evidence_spans SET span_start = span_start + 3').run()
  t.is((await status()).status, 'verified', 'a quote at another position of its source')
  raw.prepare("UPDATE memories SET content = 'nothing of it' WHERE id = ?").run(other)
  t.is((await status()).status, 'broken')
  raw.prepare('DELETE FROM memories WHERE id = ?').run(other)
  t.deepEqual(
    [(await status()).status, (await status()).problems[0]?.problem],
    ['unsupported', 'source_gone'],
  )
  raw.prepare('DELETE FROM evidence_spans').run()
  t.is((await explain(daemon)).status, 404, 'without a readable source it is shown to nobody')
})

test('contradicting values and values of other projects are distinguished (knowledge.md#contradictions)', async t => {
  const daemon = await startWithOrion(t)
  const bank = await daemon.remember('in the bank Orion runs on Oracle', { project: '/bank' })
  const doubt = await daemon.remember('Orion runs on MySQL')
  await applied(t, daemon, assert('Postgres', { [daemon.memory]: 'runs on Postgres' }))
  await applied(t, daemon, assert('Oracle', { [bank]: 'runs on Oracle' }))
  const [blocked] = await perform(daemon, [assert('MySQL', { [doubt]: 'runs on MySQL' })])
  t.like(blocked, { status: 'blocked', blockedReason: 'different_value' })
  const { body } = await explain(daemon)
  t.deepEqual(
    body.competing.map(({ value, project }) => [value, project]),
    [['Postgres', null]],
    'beside the newest, of the bank',
  )
  t.deepEqual(
    body.contradictions.map(({ value, status }) => [value, status]),
    [['MySQL', 'contested']],
  )
  t.is((await perform(daemon, [assert('MySQL', { [doubt]: 'runs on MySQL' })]))[0]?.status, 'deduplicated')
})

test('the premises of a conclusion are followed, and cycles end (knowledge.md#why)', async t => {
  const daemon = await startWithOrion(t)
  const from = { [daemon.memory]: 'runs on Postgres' }
  const a = await applied(t, daemon, assert('Postgres', from))
  const other = (claim: string, premises: string[]) => assert('yes', from, { claim, premises })
  const b = await applied(t, daemon, other('relational', [a]))
  const c = await applied(t, daemon, other('transactional', [b]))
  const [circle] = await perform(daemon, [assert('Postgres', from, { premises: [c] })])
  t.like(circle, { status: 'rejected', blockedReason: 'premise_cycle' })
  const [unknown] = await perform(daemon, [other('new', ['nothing'])])
  t.like(unknown, { status: 'rejected', blockedReason: 'premise_not_found' })
  // Operations refuse this cycle, but a damaged database may contain it.
  openRaw(t, daemon.paths.database).prepare('INSERT INTO claim_premises VALUES (?, ?)').run(a, c)
  const { body } = await explain(daemon, { claim: 'transactional' })
  t.deepEqual(
    body.premises.map(({ id, of, depth, claim }) => [id, of, depth, claim]),
    [
      [b, c, 1, 'relational'],
      [a, b, 2, 'database'],
    ],
  )
  t.is(body.integrity.status, 'verified')
  const down = (await explain(daemon)).body.reverse
  t.deepEqual(
    down.map(({ id }) => id),
    [b, c],
  )
  const shallow = (await explain(daemon, { claim: 'transactional', max_depth: 1 })).body
  t.deepEqual([shallow.premises.length, shallow.truncated, shallow.integrity.status], [1, true, 'unknown'])
  await perform(daemon, [operation('retract_claim', { version: a }, from)])
  const given = (await explain(daemon, { claim: 'transactional' })).body.integrity
  t.deepEqual([given.status, given.problems[0]?.problem], ['unsupported', 'premise_not_current'])
})

test('a premise that is hidden from the reader, or of another session, makes the explanation fail (knowledge.md#why)', async t => {
  const daemon = await startTeam(t)
  const { call } = daemon
  const save = async (content: string, fields: object) =>
    (await call('POST /api/memory/remember', { body: { content, ...fields }, headers: daemon.admin })).body.id
  const hidden = await save('Orion runs on Postgres', { who: 'ada', sessionId: 's1' })
  const own = await save('Orion is relational', { who: 'bob', sessionId: 's1' })
  const results = await perform(
    daemon,
    [
      operation('create_entity', { name: 'Orion', type: 'project' }, { [own]: 'Orion' }),
      assert('Postgres', { [hidden]: 'runs on Postgres' }),
    ],
    { headers: daemon.admin },
  )
  const premises = [results[1]?.id ?? '']
  const made = assert('yes', { [own]: 'relational' }, { claim: 'relational', premises })
  t.is((await perform(daemon, [made], { headers: daemon.admin }))[0]?.status, 'applied')
  const bob = daemon.token({ role: 'agent', scope: { user: 'bob' } })
  const claim = { claim: 'relational' }
  t.is((await explain(daemon, claim, daemon.admin)).status, 200)
  const refused = await explain(daemon, claim, bob)
  t.is(refused.status, 403)
  t.notRegex(JSON.stringify(refused.body), /Postgres|relational.*yes/)
  t.is((await explain(daemon, {}, bob)).status, 404, 'values from other readers’ sources are hidden')
  t.is((await explain(daemon, { ...claim, session_key: 's1' }, daemon.admin)).status, 200)
  t.is((await explain(daemon, { ...claim, session_key: 'session:s2' }, daemon.admin)).status, 404)
  openRaw(t, daemon.paths.database)
    .prepare("UPDATE claim_versions SET session_key = 's2' WHERE id = ?")
    .run(premises[0])
  t.is((await explain(daemon, { ...claim, session_key: 's1' }, daemon.admin)).status, 403)
  t.is(
    (await explain(daemon, { agent_id: 'maya' }, daemon.token({ role: 'agent', scope: { agent: 'eve' } })))
      .status,
    403,
  )
})
