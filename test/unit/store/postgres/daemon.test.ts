import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { stringify } from 'yaml'
import { workspacePaths } from '../../../../src/lib/workspace/paths.js'
import { openPostgres } from '../../../../src/store/postgres/database.js'
import { startDaemon, temporaryWorkspace } from '../../../helpers/daemon.js'
import { spawnDaemon, until } from '../../../helpers/daemon-process.js'
import { askServer, ownDatabase } from '../../../helpers/postgres.js'
import { startProxy, type TcpProxy } from '../../../helpers/tcp-proxy.js'

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

test('a memory whose commit was not answered is acknowledged once, and found', async t => {
  const url = await ownDatabase(t)
  const proxy = await startProxy(t, url)
  const { remember, recall } = await startDaemon(t, { settings: { storage: { postgres: proxy.url } } })
  const earlier = await remember('the deploy runs on Tuesdays')
  proxy.once('the crane lifts', proxy.stop)
  const saving = remember('the crane lifts containers')
  const ids = () => askServer(url, 'SELECT id FROM memory.memories')
  await until(async () => (await ids()).length === 2)
  proxy.drop()
  proxy.forget()
  const id = await saving
  t.deepEqual(await recall('crane'), [id])
  t.deepEqual(new Set((await ids()).map(row => row.id)), new Set([earlier, id]))
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

/** Another daemon takes the schema from one behind a proxy, and writes. */
async function changeMeanwhile(url: string, proxy: TcpProxy): Promise<void> {
  const now = new Date('2026-01-01T00:00:00Z')
  proxy.cut()
  const other = await until(() => openPostgres({ url, schema: 'memory' }, now).catch(() => undefined))
  await other.transaction(({ agents }) => agents.register('theirs', now.toISOString()))
  await other.close()
  proxy.mend()
}

const indexesIn = (folder: string): string[] =>
  readdirSync(folder).filter(name => /\.(?:snapshot|segments)$/u.test(name))

test('a daemon whose database changed without it says so to those who ask late, and drops its indexes', async t => {
  const url = await ownDatabase(t)
  const proxy = await startProxy(t, url)
  const settings = { storage: { postgres: proxy.url } }
  const first = await startDaemon(t, { settings })
  await first.remember('the deploy runs on Tuesdays')
  await first.stop()
  const second = await startDaemon(t, { settings, workspace: first.paths.root })
  t.true(indexesIn(second.paths.daemonDir).length > 0)
  await changeMeanwhile(url, proxy)
  const content = 'a second memory'
  await until(async () => {
    const { body } = await second.call('POST /api/memory/remember', { body: { content } })
    return /changed while this daemon was cut off/.test(body.error ?? '') || undefined
  })
  t.like(await second.ending, { startAgain: true })
  t.is((await second.call('POST /api/memory/remember', { body: { content } })).status, 503)
  await second.stop()
  t.deepEqual(indexesIn(second.paths.daemonDir), [])
})

test('the process of such a daemon ends, and the next one has what the other wrote', async t => {
  const url = await ownDatabase(t)
  const proxy = await startProxy(t, url)
  const workspace = temporaryWorkspace(t)
  mkdirSync(workspace, { recursive: true })
  const { settings } = workspacePaths(workspace)
  writeFileSync(settings, stringify({ embedding: { provider: 'none' }, storage: { postgres: proxy.url } }))
  const remember = (at: string, content: string) =>
    fetch(`${at}/api/memory/remember`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content }),
    })
  const first = spawnDaemon(t, workspace)
  const at = (await first.ready()).url
  t.is((await remember(at, 'the deploy runs on Tuesdays')).status, 200)
  await changeMeanwhile(url, proxy)
  const isOver = { value: false }
  const saving = until(async () => {
    await remember(at, 'lost').catch(() => undefined)
    return isOver.value || undefined
  })
  t.is(await first.exited, 0)
  isOver.value = true
  await saving
  const second = spawnDaemon(t, workspace)
  const reply = await fetch(`${(await second.ready()).url}/api/agents/theirs`)
  t.is(reply.status, 200)
  t.deepEqual(await askServer(url, 'SELECT content FROM memory.memories'), [
    { content: 'the deploy runs on Tuesdays' },
  ])
})
