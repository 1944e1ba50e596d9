import test from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { operation, perform } from '../../helpers/ontology.js'
import { readText } from '../../helpers/read-documents.js'
import { readVault, vaultOf } from '../../helpers/sources.js'
import { startTeam } from '../../helpers/team.js'

test('a memory’s timeline lists its changes in order, without its text (timeline.md)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('marked words of the harbour')
  await daemon.recall('marked harbour')
  await until(async () => {
    const { body } = await daemon.call('GET /api/memory/:id', { params: { id } })
    return body.access_count > 0
  })
  await daemon.call('PATCH /api/memory/:id', { params: { id }, body: { reason: 'audit', pinned: true } })
  const other = await daemon.remember('another harbour')
  await daemon.call('POST /api/memories/:id/supersede', {
    params: { id },
    body: { reason: 'newer', supersededBy: other },
  })
  await daemon.call('DELETE /api/memory/:id', { params: { id }, body: { reason: 'gone', force: true } })
  const { id: told, events } = await timeline(daemon, id)
  t.is(told, id)
  const kinds = events.map(({ kind }) => kind)
  for (const kind of ['memory.created', 'memory.recalled', 'memory.superseded', 'memory.deleted'])
    t.true(kinds.includes(kind), kind)
  t.is(kinds[0], 'memory.created')
  t.is(kinds.at(-1), 'memory.deleted')
  t.regex(JSON.stringify(events), /audit/u)
  t.notRegex(JSON.stringify(events), /marked|harbour/u)
  const times = events.map(({ at }) => at)
  t.deepEqual(times, [...times].sort())
})

test('a session’s timeline lists its recalls and results, without the query (timeline.md)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('the harbour crane')
  await daemon.call('POST /api/hooks/session-start', { body: { harness: 'codex', sessionKey: 'one' } })
  await daemon.recall('marked harbour', { sessionKey: 'one' })
  await daemon.call('POST /api/hooks/session-end', { body: { harness: 'codex', sessionKey: 'one' } })
  const { events } = await timeline(daemon, 'one')
  const kinds = events.map(({ kind }) => kind)
  t.is(kinds[0], 'session.started')
  t.is(kinds.at(-1), 'session.ended')
  t.true(events.some(({ kind, detail }) => /recalled|result/u.test(kind) && detail.includes(id)))
  t.notRegex(JSON.stringify(events), /marked/u)
})

test('a document’s timeline shows its indexing, and an export’s when it was made (timeline.md)', async t => {
  const daemon = await startDaemon(t)
  const id = await readText(daemon, 'marked words', { title: 'marked title' })
  const { events } = await timeline(daemon, id)
  t.deepEqual(
    events.map(({ kind }) => kind),
    ['document.created', 'document.done'],
  )
  t.notRegex(JSON.stringify(events), /marked/u)
  const { body } = await daemon.call('GET /api/timeline/:id/export', { params: { id } })
  t.like(body.meta, { version: 1, id })
  t.deepEqual(body.timeline, events)
})

test('a source’s timeline shows when it was added and read, and when its text was first found (timeline.md)', async t => {
  const daemon = await startDaemon(t)
  const root = vaultOf(t, { 'crane.md': '# Cranes\n\nThe marked crane lifts containers.' })
  const { id } = await readVault(daemon, root)
  const kindsNow = async () => (await timeline(daemon, id)).events.map(({ kind }) => kind)
  t.deepEqual((await kindsNow()).toSorted(), [
    'source.complete',
    'source.created',
    'source.indexed',
    'source.queued',
    'source.started',
  ])
  t.is((await kindsNow())[0], 'source.created')
  const { body } = await daemon.call('POST /api/memory/recall', {
    body: { query: 'marked crane containers' },
  })
  t.is(body.results.length, 1)
  await until(async () => (await kindsNow()).includes('source.recalled'))
  t.notRegex(JSON.stringify(await timeline(daemon, id)), /marked|crane/u)
})

test('an entity’s timeline shows when values were added and retired (timeline.md)', async t => {
  const daemon = await startDaemon(t)
  const quote = 'listens on port 8080'
  const memory = await daemon.remember(`The billing service ${quote}.`)
  const value = { entity: 'billing', aspect: 'network', claim: 'port', value: '8080' }
  await perform(
    daemon,
    [
      operation('create_entity', { name: 'billing', type: 'service' }, { [memory]: quote }),
      operation('assert_claim', value, { [memory]: quote }),
    ],
    { agentId: 'default' },
  )
  const { body } = await daemon.call('GET /api/ontology/entities')
  const [entity] = body.entities
  if (!entity) return t.fail(JSON.stringify(body))
  const { events } = await timeline(daemon, entity.id)
  t.is(events[0]?.kind, 'entity.created')
  t.true(events.some(({ kind }) => kind === 'value.recorded'))
  t.notRegex(JSON.stringify(events), /8080/u)
  const kinds = (await timeline(daemon, memory)).events.map(({ kind }) => kind)
  t.true(kinds.includes('knowledge.operation'))
})

test('an object hidden from the caller has no timeline (timeline.md)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('mine alone', { agentId: 'maya', visibility: 'private' })
  t.is((await daemon.call('GET /api/timeline/:id', { params: { id } })).status, 404)
  t.is((await daemon.call('GET /api/timeline/:id', { params: { id: 'nothing' } })).body.code, 'not_found')
  const { body } = await daemon.call('GET /api/timeline/:id', { params: { id }, query: { agentId: 'maya' } })
  t.is(body.events.length, 1)
})

test('a confined credential sees timelines within its scope, and none of sources (timeline.md)', async t => {
  const { call, token, admin } = await startTeam(t)
  const session = { harness: 'codex', sessionKey: 'of-web', project: 'web' }
  t.is((await call('POST /api/hooks/session-start', { body: session, headers: admin })).status, 200)
  const { body: added } = await call('POST /api/sources/notevault', {
    body: { path: vaultOf(t, { 'a.md': 'a' }) },
    headers: admin,
  })
  const headers = token({ role: 'operator', scope: { project: 'web' } })
  const ask = async (id: string) => (await call('GET /api/timeline/:id', { params: { id }, headers })).status
  t.is(await ask(added.source.id), 404)
  t.is(await ask('nothing'), 404)
  t.is(await ask('of-web'), 200)
})

async function timeline(daemon: TestDaemon, id: string) {
  return (await daemon.call('GET /api/timeline/:id', { params: { id } })).body
}
