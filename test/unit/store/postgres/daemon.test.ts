import test from 'ava'
import { startDaemon } from '../../../helpers/daemon.js'
import { until } from '../../../helpers/daemon-process.js'
import { askServer, ownDatabase } from '../../../helpers/postgres.js'
import { startProxy } from '../../../helpers/tcp-proxy.js'

test('a daemon keeps its memories in the schema of its settings', async t => {
  const postgres = await ownDatabase(t, { empty: true })
  const settings = { storage: { postgres, schema: 'team_a' } }
  const first = await startDaemon(t, { settings })
  const id = await first.remember('the deploy runs on Tuesdays')
  t.deepEqual(await first.recall('deploy'), [id])
  const { body } = await first.call('GET /api/memory/:id/history', { params: { id } })
  t.deepEqual(
    body.history.map(({ event }) => event),
    ['created'],
  )
  t.deepEqual(await askServer(postgres, 'SELECT id FROM team_a.memories'), [{ id }])
  await first.stop()
  const second = await startDaemon(t, { settings, workspace: first.paths.root })
  t.deepEqual(await second.recall('deploy'), [id])
  const other = await startDaemon(t, { settings: { storage: { postgres, schema: 'team_b' } } })
  t.deepEqual(await other.recall('deploy'), [])
})

test('without its server a daemon answers 503 with Retry-After, and goes on by itself', async t => {
  const proxy = await startProxy(t, await ownDatabase(t))
  const { call, remember, recall } = await startDaemon(t, { settings: { storage: { postgres: proxy.url } } })
  const id = await remember('the deploy runs on Tuesdays')
  proxy.cut()
  for (const sent of [
    await call('POST /api/memory/remember', { body: { content: 'lost' } }),
    await call('POST /api/memory/recall', { body: { query: 'deploy' } }),
  ]) {
    t.is(sent.status, 503)
    t.is(sent.body.code, 'storage_unavailable')
    t.is(sent.headers.get('retry-after'), '2')
  }
  proxy.mend()
  await until(async () => {
    const { status } = await call('POST /api/memory/remember', { body: { content: 'found again' } })
    return status === 200 || status === 201 || undefined
  })
  t.true((await recall('deploy')).includes(id))
})

test('a server that is lost while a daemon starts delays the start, and does not end it', async t => {
  const proxy = await startProxy(t, await ownDatabase(t))
  const settings = { storage: { postgres: proxy.url } }
  const first = await startDaemon(t, { settings })
  const id = await first.remember('the deploy runs on Tuesdays')
  await first.stop()
  proxy.cutBefore('update "jobs"')
  setTimeout(() => proxy.mend(), 1500)
  const second = await startDaemon(t, { settings, workspace: first.paths.root })
  t.deepEqual(await second.recall('deploy'), [id])
})
