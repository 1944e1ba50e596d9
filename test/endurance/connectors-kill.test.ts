import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { stringify } from 'yaml'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { notesFolder, type ShownConnector } from '../helpers/connectors.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { openRaw } from '../helpers/store.js'

const files = 400

test('a kill -9 during a sync leaves the cursor unchanged, and the next sync continues', async t => {
  const { root } = notesFolder(
    t,
    Object.fromEntries(Array.from({ length: files }, (_, n) => [`${n % 20}/${n}.md`, `note number ${n}`])),
  )
  const workspace = temporaryWorkspace(t)
  writeFileSync(join(workspace, 'agent.yaml'), stringify({ embedding: { provider: 'none' } }))
  const first = spawnDaemon(t, workspace, { SERVICE_NO_AUTOSTART: '1' })
  const { url } = await first.ready()
  const body = { provider: 'filesystem', settings: { rootPath: root } }
  const { id } = (await post(`${url}/api/connectors`, body)) as { id: string }
  const raw = openRaw(t, workspacePaths(workspace).database)
  const taken = raw.prepare('SELECT count(*) FROM connector_files').pluck()
  await post(`${url}/api/connectors/${id}/sync`)
  while ((taken.get() as number) < 100) await delay(2)
  first.child.kill('SIGKILL')
  await first.exited
  const before = taken.get() as number
  t.true(before < files, `${before} files were taken before the kill`)

  const again = await spawnDaemon(t, workspace, { SERVICE_NO_AUTOSTART: '1' }).ready()
  const look = async () =>
    (await (await fetch(`${again.url}/api/connectors/${id}?details=true`)).json()) as ShownConnector
  // Requests are answered while the next daemon cleans up after the killed one.
  const broken = await until(async () => {
    const connector = await look()
    return connector.status === 'syncing' ? undefined : connector
  })
  t.like(broken, { status: 'error', last_sync_at: null })
  t.regex(broken.last_error ?? '', /the daemon ended during the sync/u)
  t.is(JSON.parse(broken.cursor_json).lastSyncAt, '1970-01-01T00:00:00.000Z')
  await post(`${again.url}/api/connectors/${id}/sync`)
  const done = await until(async () => {
    const connector = await look()
    return connector.status === 'syncing' ? undefined : connector
  })
  t.like(done, { status: 'idle', last_error: null })
  t.is(JSON.parse(done.cursor_json).lastSyncAt, done.last_sync_at)
  t.like(done.details?.lastResult, { documentsAdded: files - before, documentsUpdated: 0, errorCount: 0 })
  t.is(done.details?.documents.total, files)
  t.is(raw.prepare('SELECT count(DISTINCT source_url) FROM documents').pluck().get(), files)
})

async function post(url: string, body: object = {}): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()
}
