import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { openStore } from '../../src/store/sqlite/database.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { limitFiles, whereLimits } from '../helpers/limited-files.js'

const quiet = { SERVICE_LOG_LEVEL: 'silent' }

// biome-ignore lint/suspicious/noExplicitAny: replies of any route
async function ask(url: string, path: string, body?: object): Promise<any> {
  const reply = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  return { status: reply.status, ...((await reply.json()) as object) }
}

const save = async (url: string, texts: readonly string[]): Promise<void> => {
  await Promise.all(texts.map(content => ask(url, '/api/memory/remember', { content })))
}

const many = (word: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${word} ${n} ${'harbour crane '.repeat(200)}`)

test('a daemon killed during a backup leaves no partial archive, and one killed during a restore the old or the new workspace (operations.md 4.6)', async t => {
  const workspace = temporaryWorkspace(t)
  const paths = workspacePaths(workspace)
  mkdirSync(workspace, { recursive: true })
  // Scheduled backups are off: the first one, a minute after the start, would disturb this test on a busy
  // machine.
  writeFileSync(join(workspace, 'agent.yaml'), 'backup: { enabled: false }\n')
  const first = spawnDaemon(t, workspace, quiet)
  const { url } = await first.ready()
  await save(url, many('old', 300))
  const { backup } = await ask(url, '/api/backup', {})
  t.is(backup.memories, 300)
  await save(url, many('new', 50))
  t.is((await ask(url, '/api/backup', { wait: false })).status, 202)
  await until(() => existsSync(paths.backupWork) && readdirSync(paths.backupWork).length > 0)
  first.child.kill('SIGKILL')
  await first.exited
  // Kills at different moments: while the archive is read, prepared, and applied.
  for (const delayMs of [0, 60, 300]) {
    const daemon = spawnDaemon(t, workspace, quiet)
    const { url: again } = await daemon.ready()
    // A restarted daemon deletes partial archives in the background of its first requests.
    await until(() => !readdirSync(join(workspace, 'backups')).some(name => name.endsWith('.part')))
    const list = await ask(again, '/api/backup')
    t.deepEqual(
      list.backups.map(({ id }: { id: string }) => id),
      [backup.id],
    )
    t.deepEqual(readdirSync(join(workspace, 'backups')).sort(), [`${backup.id}.json`, `${backup.id}.tar.gz`])
    const isRestored = list.lastRestore !== null
    t.is((await ask(again, '/api/status')).memories, isRestored ? 300 : 350)
    void ask(again, `/api/backup/${backup.id}/restore`, { confirm: true }).catch(() => undefined)
    await sleep(delayMs)
    daemon.child.kill('SIGKILL')
    await daemon.exited
  }
  const last = spawnDaemon(t, workspace, quiet)
  const { url: end } = await last.ready()
  t.is((await ask(end, `/api/backup/${backup.id}/restore`, { confirm: true })).status, 200)
  last.child.kill('SIGKILL')
  await last.exited
  const restarts = spawnDaemon(t, workspace, quiet)
  await sleep(100)
  restarts.child.kill('SIGKILL')
  await restarts.exited
  const after = spawnDaemon(t, workspace, quiet)
  t.is((await ask((await after.ready()).url, '/api/status')).memories, 300)
  after.child.kill('SIGTERM')
  await after.exited
  const store = openStore(paths.database, new Date())
  t.is(await store.tables.memories.countAlive(), 300)
  await store.close()
})

test(
  'on a full disk a backup fails without leftovers, and the daemon continues (operations.md 4.6)',
  whereLimits(async t => {
    const workspace = temporaryWorkspace(t)
    mkdirSync(workspace, { recursive: true })
    writeFileSync(join(workspace, 'agent.yaml'), 'embedding: { provider: none }\n')
    const daemon = spawnDaemon(t, workspace, quiet)
    const { url } = await daemon.ready()
    await save(url, many('old', 100))
    limitFiles(daemon.child.pid ?? 0, '65536')
    const refused = await ask(url, '/api/backup', {})
    t.is(refused.status, 507, refused.error)
    t.is(refused.code, 'insufficient_storage')
    limitFiles(daemon.child.pid ?? 0, 'unlimited')
    t.deepEqual(readdirSync(join(workspace, 'backups')), [])
    t.is((await ask(url, '/api/backup')).lastError, refused.error)
    // The daemon checks every two seconds whether there is room again.
    await until(async () => (await ask(url, '/api/backup', {})).backup?.memories === 100 || undefined)
    t.is((await ask(url, '/api/backup')).lastError, null)
  }),
)
