import test from 'ava'
import { capture, captured, transcriptOf } from '../../../helpers/captures.js'
import { nodeLine } from '../../../helpers/commands.js'
import type { TestDaemon } from '../../../helpers/daemon.js'
import { until } from '../../../helpers/daemon-process.js'
import { startTogether } from '../../../helpers/daemons-together.js'
import { askServer } from '../../../helpers/postgres.js'
import { putSkill } from '../../../helpers/skills.js'
import { readVault, vaultOf } from '../../../helpers/sources.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'
import { beginImport, sealFile } from '../../../helpers/transcript-imports.js'

test('a command is read and cancelled at its daemon, which all others name', async t => {
  const { first, other } = await startTogether(t)
  await first.call('POST /api/secrets/:name', { params: { name: 'KEY' }, body: { value: 'a long value' } })
  const command = nodeLine('setInterval(() => {}, 1000)')
  const { body } = await first.call('POST /api/secrets/:name/exec', {
    params: { name: 'KEY' },
    body: { command },
  })
  const params = { jobId: body.id }
  const asked = [
    await other.call('GET /api/secrets/exec/:jobId', { params }),
    await other.call('GET /api/secrets/exec/:jobId/output', { params }),
    await other.call('DELETE /api/secrets/exec/:jobId', { params }),
  ]
  const error = `command "${body.id}" is at the daemon first (${first.url}): send this request there`
  for (const { status, body } of asked) t.like({ status, body }, { status: 409, body: { error } })
  t.like((await first.call('DELETE /api/secrets/exec/:jobId', { params })).body, { status: 'failed' })
  const unknown = await other.call('GET /api/secrets/exec/:jobId', { params: { jobId: 'none' } })
  t.is(unknown.status, 404)
})

test('secrets and skills stay with their daemon: lists of others and errors say so and name it', async t => {
  const { first, other } = await startTogether(t)
  await first.call('POST /api/secrets/:name', { params: { name: 'KEY' }, body: { value: 'a long value' } })
  putSkill(first.paths, 'tidy')
  const stays = { daemon: 'other', others: [{ name: 'first', url: first.url }] }
  t.deepEqual((await other.call('GET /api/secrets')).body, { secrets: [], stays })
  t.deepEqual((await other.call('GET /api/skills')).body, { skills: [], count: 0, skipped: [], stays })
  const [secret, skill] = [{ params: { name: 'KEY' } }, { params: { name: 'tidy' } }]
  const command = 'exit 0'
  const replies = [
    await other.call('DELETE /api/secrets/:name', secret),
    await other.call('POST /api/secrets/:name/exec', { ...secret, body: { command } }),
    await other.call('POST /api/secrets/exec', { body: { command, secrets: { K: 'KEY' } } }),
    await other.call('POST /api/workspace-key/identity'),
    await other.call('GET /api/skills/:name', skill),
    await other.call('DELETE /api/skills/:name', skill),
  ]
  const where = `it may be at the daemon first (${first.url}), since each daemon of a team keeps its own`
  for (const { status, body } of replies) {
    t.is(status, 404)
    const { error, next } = body as unknown as { error: string; next: string }
    t.true(error.endsWith(next) && next.endsWith(where), error)
  }
  t.deepEqual((await first.call('GET /api/secrets')).body.secrets, ['KEY'])
})

test('password managers and plugins stay with their daemon: their states and errors name the others', async t => {
  const { first, other } = await startTogether(t)
  const stays = { daemon: 'other', others: [{ name: 'first', url: first.url }] }
  t.deepEqual((await other.call('GET /api/secrets/vaulta/status')).body.stays, stays)
  t.deepEqual((await other.call('GET /api/secrets/vaultb/status')).body.stays, stays)
  t.deepEqual((await other.call('GET /api/plugins')).body.stays, stays)
  const provider = { body: { provider: 'vaulta' as const } }
  const replies = [
    await other.call('GET /api/secrets/vaulta/folders'),
    await other.call('GET /api/secrets/vaultb/vaults'),
    await other.call('POST /api/secrets/vaulta/provider', provider),
    await other.call('PATCH /api/plugins/:id', { params: { id: 'none' }, body: { enabled: true } }),
    await other.call('POST /api/harnesses/regenerate'),
  ]
  t.deepEqual(
    replies.map(({ status }) => status),
    [409, 409, 409, 404, 404],
  )
  for (const { body } of replies)
    t.true(body.error?.includes(`it may be at the daemon first (${first.url})`), body.error)
})

test('work that one daemon began is followed at another', async t => {
  const { first, other } = await startTogether(t)
  const body = { source_type: 'text', content: 'the harbour crane' } as const
  const { id } = (await first.call('POST /api/documents', { body })).body
  await until(
    async () => (await other.call('GET /api/documents/:id', { params: { id } })).body.status === 'done',
  )
  const transcript = 'user: the crane lifts\n\nassistant: steel'
  const { id: jobId } = await capture(first, { sessionKey: 's1', transcript })
  t.is((await captured(other, jobId)).status, 'completed')
  t.is(await transcriptOf(other, 's1'), transcript)
  const pass = await first.call('POST /api/dream/trigger')
  t.is((await other.call('GET /api/dream/status')).body.jobId, pass.body.jobId ?? '')
  const importId = await beginImport(first)
  await sealFile(first, { jobId: importId, bytes: Buffer.from('{}') })
  const params = { jobId: importId }
  t.is((await other.call('GET /api/sources/imports/:jobId', { params })).status, 200)
  const refused = await other.call('POST /api/sources/imports/:jobId/start', { params })
  t.is(refused.status, 409)
  t.true(JSON.stringify(refused.body).includes(`the daemon first (${first.url}): send`))
  t.like((await other.call('POST /api/sources/imports/:jobId/cancel', { params })).body, {
    state: 'cancelled',
  })
})

test('what one daemon does for all is refused at another, which names it', async t => {
  const { first, other } = await startTogether(t)
  const { id: sourceId } = await readVault(first, vaultOf(t, { 'a.md': 'The crane lifts containers.' }))
  const params = { sourceId }
  const snapshot = await first.call('GET /api/sources/:sourceId/snapshot', { params })
  const importOf = (daemon: TestDaemon) =>
    daemon.call('POST /api/sources/:sourceId/snapshot/import', { params, body: snapshot.body as never })
  const work = (what: string) =>
    `${what} is the work of the daemon first (${first.url}): send this request there`
  t.like(await importOf(other), { status: 409, body: { error: work('reading sources') } })
  t.is((await importOf(first)).status, 200)
  const place = { address: temporaryFolder(t, 'sync'), name: 'desk' }
  t.is((await first.call('POST /api/sync/init', { body: place })).status, 200)
  const refused = [
    await other.call('POST /api/sync/init', { body: place }),
    await other.call('POST /api/sync/run'),
    await other.call('POST /api/sync/leave'),
  ]
  for (const reply of refused)
    t.like(reply, { status: 409, body: { error: work('the sync of this workspace') } })
  t.is((await first.call('POST /api/sync/run')).status, 200)
})

test('a repair runs at one daemon at a time, and another one says where', async t => {
  const { first, other } = await startTogether(t)
  const { nodes } = first.daemon.store.tables
  t.true(await nodes.hasDuty('repair:cleanOrphanedEmbeddings', new Date().toISOString()))
  const refused = await other.call('POST /api/repair/clean-orphans', { body: {} })
  t.like(refused, { status: 409, body: { code: 'already_running' } })
  t.true(JSON.stringify(refused.body).includes(`already running at the daemon first (${first.url})`))
  await nodes.release(['repair:cleanOrphanedEmbeddings'])
  t.is((await other.call('POST /api/repair/clean-orphans', { body: {} })).status, 200)
})

test('a daemon that stops is shown so while it serves on, and no longer when it is back', async t => {
  const { first, other, postgres } = await startTogether(t, {
    environment: { SERVICE_DRAIN_MS: '8000', SERVICE_HEARTBEAT_MS: '200' },
  })
  const stopping = async () =>
    ((await other.call('GET /api/status')).body.nodes ?? []).flatMap(({ name, stoppingSince }) =>
      stoppingSince === undefined ? [] : [name],
    )
  // As a kill in the middle of a stop leaves it.
  await askServer(postgres, "UPDATE memory.nodes SET stopping_since = seen_at WHERE name = 'first'")
  await until(async () => (await stopping()).length === 0)
  const stopped = first.stop()
  await until(async () => (await stopping()).join() === 'first')
  t.is((await first.call('GET /api/skills')).status, 200)
  const { body } = await other.call('GET /api/skills')
  t.deepEqual(
    body.stays?.others.map(({ name, stoppingSince }) => [name, typeof stoppingSince]),
    [['first', 'string']],
  )
  const { error } = (await other.call('DELETE /api/secrets/:name', { params: { name: 'KEY' } })).body
  t.true(error?.includes(`the daemon first (${first.url}, stopping)`), error)
  await stopped
  t.deepEqual(
    (await other.call('GET /api/status')).body.nodes?.map(({ name }) => name),
    ['other'],
  )
})
