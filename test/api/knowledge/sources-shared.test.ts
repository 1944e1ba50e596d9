import test from 'ava'
import { sourceRecordsOf } from '../../../src/daemon/knowledge/sources/core/source-record.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { readVault, settledSource, vaultOf } from '../../helpers/sources.js'
import { openRaw } from '../../helpers/store.js'
import { startTeam } from '../../helpers/team.js'
import { turnsDuring } from '../../helpers/turns.js'

/** Adds a vault for an agent and waits until it is indexed. @returns the id of its source */
async function readFor({ call }: TestDaemon, agentId: string, path: string): Promise<string> {
  const { body } = await call('POST /api/sources/notevault', { body: { path, agentId } })
  const { id } = body.source
  await until(async () => {
    const { sources } = (await call('GET /api/sources', { query: { agentId } })).body
    return sources.some(one => one.id === id && one.indexJob?.status === 'complete') || undefined
  })
  return id
}

test('a note that several agents indexed is found once, and the list can include all readable sources', async t => {
  const daemon = await startDaemon(t)
  const { call } = daemon
  const path = vaultOf(t, { 'a.md': 'The harbour crane lifts containers.', 'b.md': 'The quay is long.' })
  const ids = [await readFor(daemon, 'anna', path), await readFor(daemon, 'ben', path)]
  const found = await call('POST /api/memory/recall', {
    body: { query: 'harbour crane', agentId: 'carl', readPolicy: 'shared' },
  })
  t.deepEqual(
    found.body.results.map(({ source_path }) => source_path),
    ['a.md'],
  )
  const query = { agentId: 'carl' }
  t.deepEqual((await call('GET /api/sources', { query })).body.sources, [])
  const readable = await call('GET /api/sources', { query: { ...query, readable: true } })
  t.deepEqual(
    readable.body.sources.map(({ id, agentId }) => [id, agentId]).sort(),
    [...ids.map((id, at) => [id, at === 0 ? 'anna' : 'ben'])].sort(),
  )
})

test('an agent that reads only its own memories sees only its own sources', async t => {
  const daemon = await startDaemon(t)
  const { call } = daemon
  await call('POST /api/agents', { body: { name: 'carl', read_policy: 'isolated' } })
  await readFor(daemon, 'anna', vaultOf(t, { 'a.md': 'The harbour crane lifts containers.' }))
  const { body } = await call('GET /api/sources', { query: { agentId: 'carl', readable: true } })
  t.deepEqual(body.sources, [])
})

test('a folder without notes is reported in health', async t => {
  const daemon = await startDaemon(t)
  const source = await readVault(daemon, vaultOf(t, { 'picture.png': 'no note' }))
  t.like(source, {
    stats: { artifacts: 0 },
    indexJob: { status: 'complete' },
    health: { status: 'degraded' },
  })
  t.regex(source.health.notes.join(), /contains no notes/u)
})

test('without a model the job says so, and how to get one', async t => {
  const embedding = { provider: 'local' as const, model: 'Xenova/gte-small' }
  const daemon = await startDaemon(t, {
    settings: { embedding },
    environment: { SERVICE_EMBEDDING_DOWNLOAD: '0' },
  })
  const { id, indexJob } = await readVault(daemon, vaultOf(t, { 'a.md': 'The crane lifts.' }))
  t.is(indexJob?.status, 'complete')
  const told =
    /embedding model is not on this machine; 1 passage is only found by keyword\. Get it with memory embedding pull/u
  // The daemon looks for a model after its start, in the background.
  const source = await settledSource(daemon, id, one => told.test(one.indexJob?.statusMessage ?? ''))
  t.is(source.indexJob?.status, 'complete')
})

test('a list of hundreds of sources does not block other requests, and the one without vectors is found', async t => {
  const daemon = await startDaemon(t)
  const { id } = await readVault(daemon, vaultOf(t, { 'a.md': 'The crane lifts.' }))
  const raw = openRaw(t, daemon.paths.database)
  const columns = 'agent_id, kind, name, root, settings, created_by, created_at, updated_at'
  raw.exec(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 400)
    INSERT INTO sources (id, ${columns}) SELECT 'notevault:made-' || n, ${columns} FROM n, sources`)
  const { store } = daemon.daemon
  const rows = await store.tables.sources.all()
  const turns = await turnsDuring(() => sourceRecordsOf(daemon.daemon, rows))
  t.true(rows.length === 401 && turns > 5, `${turns} turns of ${rows.length}`)
  const model = { provider: 'another', model: 'm' }
  t.deepEqual(await store.tables.sourceChunks.sourcesToEmbed(model), [id])
})

test('a credential of one agent can read sources of another one but not change them (sources.md 93)', async t => {
  const team = await startTeam(t)
  const { call, admin } = team
  const path = vaultOf(t, { 'a.md': 'The harbour crane lifts containers.' })
  const { body } = await call('POST /api/sources/notevault', {
    body: { path, agentId: 'ben' },
    headers: admin,
  })
  const { headers } = await team.key({ agentId: 'anna' })
  const asked = { params: { sourceId: body.source.id }, headers }
  t.is((await call('GET /api/sources/:sourceId', asked)).status, 200)
  const replies = [
    await call('POST /api/sources/:sourceId/pause', asked),
    await call('POST /api/sources/:sourceId/resume', asked),
    await call('POST /api/sources/:sourceId/sync', asked),
    await call('POST /api/sources/:sourceId/snapshot/import', { ...asked, body: {} as never }),
    await call('DELETE /api/sources/:sourceId', asked),
  ]
  for (const reply of replies) t.like(reply, { status: 403, body: { code: 'scope_violation' } })
  t.is((await call('GET /api/sources/:sourceId', asked)).status, 200)
})

test('only admins can name a secret for a source, in any secret store (secrets.md)', async t => {
  const nobody = { apiBaseUrl: 'http://127.0.0.1:9' }
  const settings = { sources: { coderepo: nobody, chatguild: nobody } }
  const { call, token, admin } = await startTeam(t, { settings })
  const add = async (tokenRef: string | undefined, headers: { authorization: string }) => [
    await call('POST /api/sources/coderepo', { body: { repo: 'octo/site', tokenRef }, headers }),
    await call('POST /api/sources/chatguild', { body: { guildId: '700000000000000001', tokenRef }, headers }),
  ]
  const listed = async () => (await call('GET /api/sources', { headers: admin })).body.sources.length
  for (const role of ['agent', 'operator'] as const)
    for (const reference of ['KEY', 'local://KEY', 'env:KEY', 'vaulta://name/KEY'])
      for (const { status, body } of await add(reference, token({ role }))) {
        t.is(status, 403, reference)
        t.is((body as { code?: string }).code, 'forbidden')
      }
  t.is(await listed(), 0)
  const withoutToken = await add(undefined, token({ role: 'agent' }))
  t.deepEqual(
    withoutToken.map(({ status }) => status),
    [200, 400],
  )
  const byAdmin = await add('env:KEY', admin)
  t.deepEqual(
    byAdmin.map(({ status }) => status),
    [200, 200],
  )
  t.is(await listed(), 2)
})
