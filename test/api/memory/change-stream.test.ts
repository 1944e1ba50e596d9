import test, { type ExecutionContext } from 'ava'
import { eventData } from '../../../src/client/stream.js'
import type { ChangeEvent } from '../../../src/contract/memory/change-stream.js'
import { ChangeStreams } from '../../../src/daemon/memory/change-stream/domain.js'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { operation, perform } from '../../helpers/ontology.js'
import { openRaw } from '../../helpers/store.js'
import { startTeam } from '../../helpers/team.js'

/** Follows changes until the daemon or the test ends. @returns the changes as `kind id` */
async function follow(t: ExecutionContext, url: string, query = '', headers: Record<string, string> = {}) {
  const left = new AbortController()
  t.teardown(() => left.abort())
  const response = await fetch(`${url}/api/memories/stream${query}`, { headers, signal: left.signal })
  const told: string[] = []
  const body = Promise.resolve(response.body as unknown as AsyncIterable<Buffer>)
  const ended = (async () => {
    for await (const event of eventData<ChangeEvent>(body))
      told.push(event.type === 'changed' ? `${event.kind} ${event.id}` : event.type)
    return 'ended'
  })().catch(() => 'broken off')
  await until(() => told.length > 0)
  return { response, told, ended }
}

test('changes are streamed as they happen, by kind and id without text, until the daemon ends (rules.md#live-changes)', async t => {
  const daemon = await startDaemon(t)
  const before = await daemon.remember('the crane is red')
  const { response, told, ended } = await follow(t, daemon.url)
  t.like(Object.fromEntries(response.headers), {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
  })
  const id = await daemon.remember('the port is 8080')
  await until(() => told.length === 2)
  const params = { id }
  await daemon.call('PATCH /api/memory/:id', { params, body: { reason: 'r', tags: 'x' } })
  await daemon.call('DELETE /api/memory/:id', { params, body: { reason: 'r' } })
  await daemon.call('POST /api/memory/:id/recover', { params, body: { reason: 'r' } })
  await daemon.call('POST /api/memories/:id/supersede', {
    params: { id: before },
    body: { supersededBy: id, reason: 'r' },
  })
  // A history event `none` is not a change of the memory.
  await perform(daemon, [operation('create_entity', { name: 'Port', type: 'thing' }, { [id]: 'port' })])
  const all = ['remembered', 'modified', 'forgotten', 'recovered'].map(kind => `${kind} ${id}`)
  const expected = ['connected', ...all, `superseded ${before}`]
  await until(() => told.length >= expected.length)
  t.deepEqual(told, expected)
  const late = await follow(t, daemon.url, '?last=2')
  await until(() => late.told.length === 3)
  t.deepEqual(late.told, ['connected', `recovered ${id}`, `superseded ${before}`])
  const raw = openRaw(t, daemon.paths.database)
  raw.exec(`WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 1001)
    INSERT INTO memory_history (id, memory_id, event, changed_by, actor_type, reason, created_at, change)
    SELECT 'event-' || i, unhex('${id}', '-'), 'modified', 'test', 'operator', 'r', '', 0 FROM numbers`)
  await until(() => late.told.length === 4)
  t.is(late.told.at(-1), 'dropped')
  await daemon.remember('the lamp is green')
  await until(() => late.told.length === 5)
  for (const query of ['?last=51', '?last=-1', '?last=x'])
    t.is((await fetch(`${daemon.url}/api/memories/stream${query}`)).status, 400)
  await daemon.stop()
  t.is(await ended, 'ended')
  t.is(await late.ended, 'ended')
})

test('a question of a session is announced, and can be read then (web.md#pages)', async t => {
  const daemon = await startDaemon(t)
  const { told } = await follow(t, daemon.url)
  await daemon.recall('which port', { sessionKey: 's1' })
  await until(() => told.includes('activity'))
  const { activity } = (await daemon.call('GET /api/sessions/activity')).body
  t.true(activity.some(({ question }) => question === 'which port'))
})

test('changes are sent only to readers who may read the memory (rules.md#live-changes)', async t => {
  const team = await startTeam(t)
  const { admin: headers } = team
  const save = async (body: {
    content: string
    project?: string
    agentId?: string
    visibility?: 'private'
  }) => (await team.call('POST /api/memory/remember', { body, headers })).body.id
  await team.call('POST /api/agents', { body: { name: 'noor', read_policy: 'isolated' }, headers })
  const confined = team.token({ role: 'readonly', scope: { project: '/shop' } })
  const noor = team.token({ role: 'agent', scope: { agent: 'noor' } })
  const all = await follow(t, team.url, '', headers)
  const shop = await follow(t, team.url, '', confined)
  const isolated = await follow(t, team.url, '?agentId=noor', noor)
  const ids = {
    bank: await save({ content: 'the bank opens at nine', project: '/bank' }),
    shop: await save({ content: 'the shop opens at ten', project: '/shop' }),
    hers: await save({ content: 'noor likes tea', agentId: 'noor', visibility: 'private' }),
    last: await save({ content: 'the shop closes at six', project: '/shop' }),
  }
  const remembered = (...some: string[]) => ['connected', ...some.map(id => `remembered ${id}`)]
  await until(() => all.told.length === 4 && shop.told.length === 3 && isolated.told.length === 2)
  t.deepEqual(all.told, remembered(ids.bank, ids.shop, ids.last))
  t.deepEqual(shop.told, remembered(ids.shop, ids.last))
  t.deepEqual(isolated.told, remembered(ids.hers))
  const last = await follow(t, team.url, '?last=50', confined)
  await until(() => last.told.length === 3)
  t.deepEqual(last.told, shop.told)
  t.is((await fetch(`${team.url}/api/memories/stream`)).status, 401)
  t.is((await fetch(`${team.url}/api/memories/stream?agentId=maya`, { headers: noor })).status, 403)
})

test('a limited number of readers can follow changes, and one that disconnects makes room (rules.md#live-changes)', async t => {
  const { daemon } = await startDaemon(t)
  const streams = new ChangeStreams({ ...daemon, maxReaders: 1 })
  t.teardown(() => streams.close())
  const caller = { access: { scope: {} } } as Parameters<ChangeStreams['open']>[0]
  const first = await streams.open(caller, { last: 0 })
  await t.throwsAsync(streams.open(caller, { last: 0 }), { message: /1 readers of changes/u })
  first.destroy()
  await until(async () => (await streams.open(caller, { last: 0 }).catch(() => undefined)) !== undefined)
})
