import test, { type ExecutionContext } from 'ava'
import type { RecallRecord } from '../../../src/contract/operations/recall-records.js'
import { sweep } from '../../../src/daemon/operations/retention/sweep.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { importOne } from '../../helpers/imports.js'
import { openRaw } from '../../helpers/store.js'
import { startTeam } from '../../helpers/team.js'

const recorded = { telemetry: { memorySearchQaEnabled: true } }
type Query = Record<string, string | number | boolean>

const startRecording = (t: ExecutionContext, options = {}) =>
  startDaemon(t, { settings: recorded, ...options })

async function list({ call }: Pick<TestDaemon, 'call'>, query: Query = {}): Promise<RecallRecord[]> {
  return (await call('GET /api/telemetry/memory-search', { query })).body.items
}

test('recalls are recorded only if the settings enable it, and never if the environment opts out (telemetry.md 5)', async t => {
  const off = await startDaemon(t)
  await off.remember('the port is 8080')
  await off.recall('port')
  const { body } = await off.call('GET /api/telemetry/memory-search')
  t.deepEqual(body, { items: [], count: 0, enabled: false })
  const out = await startRecording(t, { environment: { SERVICE_TELEMETRY_OPTOUT: '1' } })
  await out.recall('port')
  t.false((await out.call('GET /api/telemetry/memory-search')).body.enabled)
  t.deepEqual(await list(out), [])
})

test('a record contains the query and the results, without private spans (telemetry.md 5)', async t => {
  const daemon = await startRecording(t)
  const id = await daemon.remember('the port is 8080', { project: 'shop' })
  await daemon.call('POST /api/memory/recall', {
    body: {
      query: 'which port <private>of Ann</private>',
      project: 'shop',
      limit: 3,
      sessionKey: 'session:s1',
      keywordQuery: '<private>hidden</private> port',
    },
  })
  await daemon.call('GET /api/memory/search', { query: { q: 'bicycle' } })
  await daemon.call('POST /api/hooks/recall', { body: { harness: 'codex', query: 'port', sessionKey: 's2' } })
  const [hook, get, post] = await list(daemon)
  t.like(hook, { route: '/api/hooks/recall', session_key: 's2', no_hits: false })
  t.like(get, {
    route: '/api/memory/search',
    query: 'bicycle',
    no_hits: true,
    result_count: 0,
    top_score: null,
  })
  t.like(post, {
    route: '/api/memory/recall',
    agent_id: 'default',
    session_key: 's1',
    query: 'which port ',
    filters: { limit: 3, project: 'shop', keywordQuery: ' port' },
    result_count: 1,
    no_hits: false,
  })
  t.like(post?.results[0], { rank: 1, id, content: 'the port is 8080', source: 'keyword' })
  t.is(post?.top_score, post?.results[0]?.score ?? null)
  t.true((post?.duration_ms ?? 0) > 0)
  t.notRegex(JSON.stringify(await list(daemon)), /Ann|hidden|codex/u)
})

test('records can be filtered by agent, session, path, time and whether anything was found, and exported as lines (telemetry.md 5)', async t => {
  const daemon = await startRecording(t)
  await daemon.remember('the port is 8080', { agentId: 'ann' })
  await daemon.recall('port', { agentId: 'ann', sessionKey: 's1' })
  await daemon.recall('bicycle', { agentId: 'ann' })
  await daemon.call('GET /api/memory/search', { query: { q: 'weather' } })
  const queries = async (query: Query) => (await list(daemon, query)).map(one => one.query)
  t.deepEqual(await queries({}), ['weather', 'bicycle', 'port'])
  t.deepEqual(await queries({ agent_id: 'ann' }), ['bicycle', 'port'])
  t.deepEqual(await queries({ session_key: 'session:s1' }), ['port'])
  t.deepEqual(await queries({ route: '/api/memory/search' }), ['weather'])
  t.deepEqual(await queries({ no_hits: true, agent_id: 'ann' }), ['bicycle'])
  t.deepEqual(await queries({ no_hits: false }), ['port'])
  t.deepEqual(await queries({ since: '2100-01-01' }), [])
  t.deepEqual(await queries({ until: '2000-01-01' }), [])
  t.deepEqual(await queries({ limit: 1, offset: 1 }), ['bicycle'])
  for (const query of [{ limit: 0 }, { limit: 501 }, { offset: -1 }, { no_hits: 'maybe' }, { since: 'soon' }])
    t.is((await daemon.call('GET /api/telemetry/memory-search', { query })).status, 400)
  const response = await fetch(`${daemon.url}/api/telemetry/memory-search/export?limit=999999&agent_id=ann`)
  t.is(response.headers.get('content-type'), 'application/x-ndjson')
  const lines = (await response.text()).trim().split('\n')
  t.deepEqual(
    lines.map(line => JSON.parse(line)),
    await list(daemon, { agent_id: 'ann' }),
  )
  t.is(
    (await (await fetch(`${daemon.url}/api/telemetry/memory-search/export?limit=0`)).text()).split('\n')
      .length,
    2,
  )
  t.deepEqual(
    (await daemon.call('DELETE /api/telemetry/memory-search', { query: { agent_id: 'ann' } })).body,
    {
      deleted: 2,
    },
  )
  t.deepEqual(await queries({}), ['weather'])
})

test('forgotten memories leave the records at once, and a removed agent’s queries are deleted (telemetry.md 5)', async t => {
  const daemon = await startRecording(t)
  const id = await daemon.remember('the crane is red')
  await daemon.remember('the crane is high')
  await daemon.remember('the crane of Cas', { agentId: 'cas' })
  await daemon.recall('crane')
  // The record is not yet written when the memory is forgotten.
  const body = { reason: 'test' }
  await daemon.call('DELETE /api/memory/:id', { params: { id }, body })
  const textOf = async () => (await list(daemon))[0]?.results.find(one => one.id === id)?.content
  t.is(await textOf(), null)
  await daemon.call('POST /api/memory/:id/recover', { params: { id }, body })
  t.is(await textOf(), null)
  await daemon.recall('crane')
  t.is(await textOf(), 'the crane is red')
  await daemon.call('DELETE /api/memory/:id', { params: { id }, body })
  t.is(await textOf(), null)
  await daemon.recall('crane', { agentId: 'cas' })
  await daemon.call('DELETE /api/agents/:name', { params: { name: 'cas' }, query: { purge: true } })
  await until(async () => (await list(daemon, { agent_id: 'cas' })).length === 0 || undefined)
  t.notRegex(JSON.stringify(await list(daemon)), /Cas/u)
})

test('archived memories and passages removed from their source leave the records too (telemetry.md 5)', async t => {
  const daemon = await startRecording(t)
  const id = await daemon.remember('the harbour crane is red')
  const { sourceId } = await importOne(daemon, 'quay.md', 'The quay of the northern basin is long.')
  await daemon.recall('harbour crane')
  await daemon.recall('quay of the northern basin')
  const texts = async () =>
    (await list(daemon)).map(({ results }) => results.map(({ content }) => content).join())
  t.deepEqual(await texts(), ['The quay of the northern basin is long.', 'the harbour crane is red'])
  const raw = openRaw(t, daemon.paths.database)
  raw.prepare("UPDATE memories SET visibility = 'archived' WHERE id = ?").run(id)
  t.deepEqual(await texts(), ['The quay of the northern basin is long.', ''])
  await daemon.call('DELETE /api/sources/:sourceId', { params: { sourceId: sourceId ?? '' } })
  await until(async () => (await texts()).join('') === '' || undefined)
  t.pass('no text is left')
})

test('records are kept for 30 days, and a write failure does not stop a recall (telemetry.md 5)', async t => {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const daemon = await startRecording(t, { clock: () => new Date(now) })
  await daemon.remember('the port is 8080')
  await daemon.recall('port')
  t.is((await list(daemon)).length, 1)
  now += 29 * 86_400_000
  t.is((await sweep(daemon.daemon)).recallRecords, 0)
  now += 2 * 86_400_000
  await sweep(daemon.daemon)
  t.is((await list(daemon)).length, 0)
  const { store, recallRecorder } = daemon.daemon
  const { write } = store
  store.write = () => Promise.reject(new Error('the disk is full'))
  t.is((await daemon.recall('port')).length, 1)
  await recallRecorder.flush()
  t.is(recallRecorder.waiting, 1)
  store.write = write
  t.is((await list(daemon)).length, 1)
  // The clock was set back, so the last record written is the oldest and is deleted first.
  now -= 86_400_000
  await daemon.recall('yesterday')
  t.deepEqual(
    (await list(daemon)).map(({ query }) => query),
    ['port', 'yesterday'],
  )
  t.is(await store.tables.recallRecords.purge('', 1, 10), 1)
  t.deepEqual(
    (await list(daemon)).map(({ query }) => query),
    ['port'],
  )
})

test('a confined credential reads only the queries within its scope (telemetry.md 5)', async t => {
  const team = await startTeam(t, { settings: recorded })
  const within = (scope: object) => team.token({ role: 'operator', scope })
  const ask = (headers: { authorization: string }, body: { query: string; agentId?: string }) =>
    team.call('POST /api/memory/recall', { headers, body })
  await ask(team.admin, { query: 'by anybody' })
  await ask(within({ agent: 'ann' }), { query: 'by ann' })
  await ask(within({ project: 'shop' }), { query: 'of the shop' })
  await ask(within({ user: 'bob' }), { query: 'for bob' })
  const read = async (headers: { authorization: string }, query: Query = {}) => {
    const { status, body } = await team.call('GET /api/telemetry/memory-search', { headers, query })
    return status === 200 ? body.items.map(one => one.query) : status
  }
  t.deepEqual(await read(team.admin), ['for bob', 'of the shop', 'by ann', 'by anybody'])
  t.deepEqual(await read(within({ agent: 'ann' })), ['by ann'])
  t.is(await read(within({ agent: 'ann' }), { agent_id: 'default' }), 403)
  t.deepEqual(await read(within({ project: 'shop' })), ['of the shop'])
  t.deepEqual(await read(within({ user: 'bob' })), ['for bob'])
  const reader = team.token({ role: 'readonly' })
  t.is(await read(reader), 403)
  t.is((await team.call('DELETE /api/telemetry/memory-search', { headers: reader })).status, 403)
})
