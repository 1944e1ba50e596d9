import { writeFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { stringify } from 'yaml'
import { type RecallChannel, recallChannels } from '../../../src/contract/memory/memory.js'
import type { ReplayReply } from '../../../src/contract/operations/recall-records.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { askedOf, openaiAnswer, startModel } from '../../helpers/model-fakes.js'
import { applied, operation } from '../../helpers/ontology.js'
import { openRaw } from '../../helpers/store.js'
import { startTeam } from '../../helpers/team.js'

const settings = { telemetry: { memorySearchQaEnabled: true } }

async function startWithRecords(t: ExecutionContext) {
  const daemon = await startDaemon(t, { settings })
  const port = await daemon.remember('the port of the shop is 8080')
  const crane = await daemon.remember('the crane of the shop is red')
  return { ...daemon, port, crane }
}

/** Everything that a recall writes. */
function traces(t: ExecutionContext, { paths }: Pick<TestDaemon, 'paths'>) {
  const raw = openRaw(t, paths.database)
  return () =>
    [
      'SELECT * FROM memory_access_log ORDER BY at',
      'SELECT * FROM memory_accesses ORDER BY memory_id',
      'SELECT * FROM recalled_memories ORDER BY memory_id',
      'SELECT count(*) FROM session_events',
      'SELECT count(*) FROM telemetry_events',
      'SELECT count(*) FROM recall_records',
    ].map(statement => raw.prepare(statement).all())
}

/** Waits until a recall of the memory is counted. @returns its access count */
function accessCountOf({ call }: Pick<TestDaemon, 'call'>, id: string): Promise<number> {
  return until(async () => {
    const { body } = await call('GET /api/memory/:id', { params: { id } })
    return body.access_count || undefined
  })
}

async function replay({ call }: Pick<TestDaemon, 'call'>, body: object = {}): Promise<ReplayReply> {
  const reply = await call('POST /api/telemetry/memory-search/replay', { body })
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body))
  return reply.body
}

test('recorded queries are run again, and found, lost and moved results are reported singly and in total (telemetry.md 6)', async t => {
  const daemon = await startWithRecords(t)
  await daemon.recall('port')
  await daemon.recall('bicycle')
  const same = await replay(daemon)
  t.like(same.summary, { queries: 2, same: 2, changed: 0, found: 0, lost: 0, moved: 0 })
  t.deepEqual(same.summary.no_hits, { before: 1, after: 1 })
  const body = { reason: 'test' }
  await daemon.call('DELETE /api/memory/:id', { params: { id: daemon.port }, body })
  const bicycle = await daemon.remember('the bicycle is green')
  const { results, summary } = await replay(daemon)
  const [second, first] = results
  t.like(second, { query: 'bicycle', status: 'changed', before: 0, after: 1 })
  t.deepEqual(second?.found, [{ id: bicycle, rank: 1, content: 'the bicycle is green', why: 'changed' }])
  t.deepEqual(
    first?.lost.map(({ id, content, why }) => ({ id, content, why })),
    [{ id: daemon.port, content: null, why: 'changed' }],
  )
  t.like(summary, { queries: 2, changed: 2, found: 1, lost: 1 })
  // The other query has no results left.
  t.deepEqual(summary.no_hits, { before: 1, after: 1 })
})

test('a replay leaves no trace: no access, no session, no event, no record (telemetry.md 6)', async t => {
  const daemon = await startWithRecords(t)
  await daemon.recall('shop', { sessionKey: 's1' })
  await daemon.recall('shop', { sessionKey: 's1' })
  await daemon.call('GET /api/telemetry/memory-search')
  await daemon.call('GET /api/telemetry/events')
  // Access counts are written once a second.
  await accessCountOf(daemon, daemon.crane)
  const state = traces(t, daemon)
  await daemon.call('GET /api/sessions/blackbox')
  const before = state()
  const { results } = await replay(daemon)
  // The second recall returned nothing then because the session had seen the memory; a replay agrees.
  t.deepEqual(
    results.map(({ status, before, after }) => ({ status, before, after })),
    [
      { status: 'same', before: 0, after: 0 },
      { status: 'same', before: 2, after: 2 },
    ],
  )
  await daemon.call('GET /api/telemetry/memory-search')
  await daemon.call('GET /api/telemetry/events')
  t.deepEqual(state(), before)
})

test('a trial returns what a recall would, and leaves no trace (recall.md 4.9)', async t => {
  const daemon = await startWithRecords(t)
  await daemon.remember('the shop opens at nine', { sessionId: 's1' })
  const asked = { query: 'port', sessionKey: 's1' }
  await daemon.call('POST /api/memory/recall', { body: asked })
  await accessCountOf(daemon, daemon.port)
  const before = traces(t, daemon)
  const counted = async () => {
    const { memory } = (await daemon.call('GET /api/analytics/usage')).body
    await daemon.call('GET /api/telemetry/events')
    await daemon.call('GET /api/sessions/blackbox')
    return { recalled: memory.recalled, left: before() }
  }
  const then = await counted()
  const trial = { ...asked, query: 'shop', explain: true, trial: true }
  const tried = await daemon.call('POST /api/memory/recall', { body: trial })
  const again = await daemon.call('POST /api/memory/recall', { body: trial })
  t.is(tried.status, 200)
  t.deepEqual(again.body.results, tried.body.results)
  t.deepEqual(await counted(), then)
  const { body: meant } = await daemon.call('POST /api/memory/recall', {
    body: { ...asked, query: 'shop', explain: true },
  })
  t.deepEqual(meant.results, tried.body.results)
  t.is(meant.meta.withheld, tried.body.meta.withheld)
  t.is(await accessCountOf(daemon, daemon.crane), 1)
  const refused = await daemon.call('POST /api/memory/recall', { body: { ...trial, aggregate: true } })
  t.is(refused.status, 400)
  t.regex(JSON.stringify(refused.body), /a trial makes no summary/u)
})

test('a trial searches only the channels it names (recall.md#trials)', async t => {
  const daemon = await startDaemon(t)
  const said = await daemon.remember('the harbour crane lifts containers', {
    structured: { hints: ['which machine moves cargo'] },
  })
  const slot = { entity: 'Orion', entityType: 'ship', aspect: 'freight', claim: 'unit' }
  await applied(
    t,
    daemon,
    operation('assert_claim', { ...slot, value: 'containers' }, { [said]: 'containers' }),
  )
  const tried = async (query: string, channels?: RecallChannel[]) => {
    const body = { query, trial: true, explain: true, score_min: 0, ...(channels && { channels }) }
    const { results, meta, method } = (await daemon.call('POST /api/memory/recall', { body })).body
    const steps = results.flatMap(({ explain }) => explain?.contributions ?? [])
    const found = steps
      .filter(({ step }) => recallChannels.includes(step as RecallChannel))
      .map(({ step }) => step)
    return { found, channels: meta.channels, method }
  }
  t.deepEqual((await tried('crane')).channels, ['keyword', 'hints', 'vector'])
  t.true((await tried('crane')).found.includes('keyword'))
  t.deepEqual(await tried('crane', ['keyword']), {
    found: ['keyword'],
    channels: ['keyword'],
    method: 'keyword',
  })
  t.deepEqual((await tried('crane', ['hints'])).found, [])
  t.deepEqual((await tried('which machine moves cargo', ['hints'])).found, ['hints'])
  t.deepEqual((await tried('which machine moves cargo', ['keyword'])).found, [])
  t.deepEqual((await tried('Orion unit')).found, [], 'the settings disable the graph')
  t.deepEqual(await tried('Orion unit', ['claims']), {
    found: ['claims'],
    channels: ['claims'],
    method: 'none',
  })
  t.is((await tried('crane', ['vector'])).method === 'hybrid', false)
  for (const body of [
    { query: 'crane', channels: ['keyword'] },
    { query: 'crane', trial: true, channels: [] },
    { query: 'crane', trial: true, channels: ['telepathy'] },
  ])
    t.is((await daemon.call('POST /api/memory/recall', { body: body as never })).status, 400)
})

test('a trial needs the permission to read other people’s queries (recall.md 4.9)', async t => {
  const team = await startTeam(t)
  const body = { query: 'shop', trial: true }
  const statusOf = async (role: 'operator' | 'agent' | 'readonly') =>
    (await team.call('POST /api/memory/recall', { body, headers: team.token({ role }) })).status
  t.deepEqual(
    [await statusOf('operator'), await statusOf('agent'), await statusOf('readonly')],
    [200, 403, 403],
  )
})

test('records can be replayed by filter, by id and page by page; incomplete ones are skipped (telemetry.md 6)', async t => {
  const daemon = await startWithRecords(t)
  await daemon.recall('port', { sessionKey: 's1' })
  await daemon.recall('crane <private>of Ann</private>')
  await daemon.call('GET /api/memory/search', { query: { q: 'crane' } })
  const queries = async (body: object) => (await replay(daemon, body)).results.map(({ query }) => query)
  t.deepEqual(await queries({ session_key: 's1' }), ['port'])
  t.deepEqual(await queries({ route: '/api/memory/search' }), ['crane'])
  t.deepEqual(await queries({ since: '2100-01-01' }), [])
  const first = await replay(daemon, { limit: 1 })
  t.is(first.total, 3)
  const second = await replay(daemon, { limit: 1, after: first.next })
  t.like(second.results[0], { query: 'crane ', status: 'skipped' })
  t.deepEqual(await queries({ ids: [first.results[0]?.id, 'nothing'] }), ['crane'])
  t.is((await replay(daemon, { limit: 1, after: second.next })).next, null)
  for (const body of [{ ids: [] }, { limit: 'many' }, { since: 'soon' }, { after: { id: 'x' } }])
    t.is((await daemon.call('POST /api/telemetry/memory-search/replay', { body: body as never })).status, 400)
})

test('after a settings change, a replay reports which results were found, lost and moved (telemetry.md 6)', async t => {
  let wantedText = ''
  const model = await startModel(t, (request, response) => {
    const rows = [...askedOf(request).input.matchAll(/\[text-\w+ (\d+)\]\n([^[]*)/gu)]
    const best = rows.find(([, , text]) => text?.includes(wantedText))?.[1]
    openaiAnswer({ order: [Number(best)] })(request, response)
  })
  const inference = { provider: 'openai', model: 'm', baseUrl: `${model.url}/v1` }
  const daemon = await startDaemon(t, { settings: { ...settings, inference } })
  for (const text of ['lifts 40 tonnes', 'was painted red', 'is serviced by Maya'])
    await daemon.remember(`the harbour crane ${text}`)
  await daemon.recall('harbour crane')
  await daemon.recall('harbour crane', { limit: 1 })
  const { items } = (await daemon.call('GET /api/telemetry/memory-search')).body
  const [first, , third] = items[1]?.results ?? []
  wantedText = third?.content ?? ''
  const recall = { reranking: { useProvider: true, deadlineMs: 5000 } }
  writeFileSync(
    daemon.paths.settings,
    stringify({ ...settings, embedding: { provider: 'none' }, inference, recall }),
  )
  const { configuration } = daemon.daemon
  await until(() => configuration().settings.recall.reranking.useProvider || undefined)
  const { results, summary } = await replay(daemon)
  t.like(summary, { queries: 2, changed: 2, found: 1, lost: 1, moved: 3 })
  const [one, all] = results
  t.deepEqual(
    [one?.found, one?.lost].map(rows => rows?.map(({ id, why }) => ({ id, why }))),
    [[{ id: third?.id, why: 'ranked' }], [{ id: first?.id, why: 'ranked' }]],
  )
  t.like(
    all?.moved.find(({ id }) => id === third?.id),
    { from: 3, to: 1 },
  )
})
