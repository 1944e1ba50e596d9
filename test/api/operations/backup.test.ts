import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { createBackupWorker } from '../../../src/daemon/operations/backup/domain.js'
import { backUp, pathsIn, spoil } from '../../helpers/archives.js'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { put } from '../../helpers/git.js'
import { openRaw } from '../../helpers/store.js'

/** Without this, the scheduled backup starts a minute after the daemon, mid-test on a busy machine. */
const unscheduled = { settings: { backup: { enabled: false } } }

test('a backup contains the database, files and encrypted secrets, but not their key or rebuildable data (operations.md 4.1)', async t => {
  const daemon = await startDaemon(t, unscheduled)
  const { call, paths } = daemon
  await daemon.remember('the harbour crane is red')
  await call(
    'POST /api/secrets/:name' as never,
    { params: { name: 'TOKEN' }, body: { value: 'quite-secret' } } as never,
  )
  const yes = ['AGENTS.md', 'skills/a b/SKILL.md', 'memory/x/notes/ä.md', `deep/${'d/'.repeat(60)}end.txt`]
  const no = [
    '.git/config',
    'skills/x/node_modules/y.js',
    '.daemon/logs/a.log',
    'backups/old.txt',
    '.daemon/index.snapshot',
  ]
  for (const path of [...yes, ...no]) put(daemon, path, path)
  put(daemon, '.daemon/captures/waiting.json', '{}')
  symlinkSync('/etc/passwd', join(paths.root, 'link.md'))
  const made = await backUp(daemon)
  t.like(made, { kind: 'manual', memories: 1, problems: [], version: '0.0.0-test' })
  t.is(made.bytes, statSync(made.file).size)
  const found = pathsIn(made.file)
  t.is(found[0], 'backup.json')
  t.is(found.at(-1), 'manifest.json')
  const inside = found.slice(1, -1).map(path => path.replace(/^workspace\//u, '').replace('\\303\\244', 'ä'))
  for (const path of [
    ...yes,
    'memory/memories.db',
    'agent.yaml',
    '.daemon/captures/waiting.json',
    '.secrets/secrets.json',
  ])
    t.true(inside.includes(path), path)
  for (const path of [
    ...no,
    '.secrets/machine.key',
    '.daemon/auth-secret',
    'link.md',
    'memory/memories.db-wal',
  ])
    t.false(inside.includes(path), path)
  t.true(existsSync(join(paths.secretsDir, 'machine.key')))
  if (process.platform !== 'win32') t.is(statSync(made.file).mode & 0o777, 0o600)
  t.false(existsSync(paths.backupWork) && readdirSync(paths.backupWork).length > 0)
  const { body: list } = await call('GET /api/backup')
  t.like(list, { count: 1, running: null, lastError: null, pendingRestore: null, lastRestore: null })
  t.deepEqual(list.backups, [made])
  t.like((await call('POST /api/backup/:id/verify', { params: made })).body, {
    ok: true,
    problems: [],
    memories: 1,
  })
})

test('a background backup is reported while it runs, and a second one is refused until it ends (operations.md 4.5)', async t => {
  const { call, remember } = await startDaemon(t, unscheduled)
  await remember('one')
  const first = await call('POST /api/backup', { body: { wait: false } })
  t.is(first.status, 202)
  t.is((await call('GET /api/backup')).body.running?.id, first.body.id)
  for (const wait of [true, false]) t.is((await call('POST /api/backup', { body: { wait } })).status, 409)
  await until(async () => (await call('GET /api/backup')).body.backups.some(({ id }) => id === first.body.id))
  for (const id of ['..%2Fx', 'backup-1', 'backup-20260101-000000-zzzzzz'])
    t.is((await call('POST /api/backup/:id/verify', { params: { id } })).status, 400, id)
  const gone = { id: 'backup-20260101-000000-aaaaaa' }
  t.is((await call('POST /api/backup/:id/verify', { params: gone })).status, 404)
})

test('verifying a folder as an archive reports that it is a folder (operations.md 4.3)', async t => {
  const { call, paths } = await startDaemon(t, unscheduled)
  const { status, body } = await call('POST /api/backup/verify', { body: { file: paths.root } })
  t.is(status, 200)
  t.false(body.ok)
  t.regex(body.problems.join(), /it is a folder/u)
})

test('one scheduled backup runs per day, and only the newest are kept; manual ones stay (operations.md 4.2)', async t => {
  let nowMs = Date.parse('2026-03-01T00:00:00Z')
  const daemon = await startDaemon(t, { settings: { backup: { keep: 2 } }, clock: () => new Date(nowMs) })
  const { looks, timers } = manualLooks()
  const worker = createBackupWorker(daemon.daemon, timers)
  t.teardown(() => worker.close())
  const scheduled = async () =>
    (await daemon.call('GET /api/backup')).body.backups.filter(({ kind }) => kind === 'scheduled')
  const lookAt = async (hours: number, expected: number): Promise<void> => {
    nowMs += hours * 3_600_000
    // A check during another check does nothing, so the test repeats it.
    await until(async () => {
      looks()
      return (await scheduled()).length === expected || undefined
    })
    t.is((await scheduled()).length, expected)
  }
  worker.start()
  await lookAt(1, 0)
  await daemon.remember('one')
  await backUp(daemon)
  await lookAt(0, 1)
  const [first] = await scheduled()
  await lookAt(23, 1)
  await lookAt(1, 2)
  nowMs += 24 * 3_600_000
  await until(async () => {
    looks()
    return !(await scheduled()).some(({ id }) => id === first?.id) || undefined
  })
  t.is((await scheduled()).length, 2)
  t.is((await daemon.call('GET /api/backup')).body.count, 3)
  daemon.daemon.changeSettings({ 'backup.enabled': false })
  await lookAt(48, 2)
})

test('verifying finds damage in an archive: a changed byte, a missing end, a different file (operations.md 4.3)', async t => {
  // A scheduled backup could be running while this test takes long.
  const daemon = await startDaemon(t, { settings: { backup: { enabled: false } } })
  await daemon.remember('one')
  const { id, file, bytes } = await backUp(daemon)
  const whole = readFileSync(file)
  const look = async () => (await daemon.call('POST /api/backup/:id/verify', { params: { id } })).body
  for (const damage of [
    () => spoil(file, Math.floor(bytes / 2)),
    () => spoil(file, bytes - 6),
    () => truncateSync(file, bytes - 2000),
    () => writeFileSync(file, 'not an archive at all'),
    () => writeFileSync(file, ''),
  ]) {
    writeFileSync(file, whole)
    damage()
    const { ok, problems } = await look()
    t.false(ok, JSON.stringify(problems))
    t.true(problems.length > 0)
    const body = { confirm: true }
    const refused = await daemon.call('POST /api/backup/:id/restore', { params: { id }, body })
    t.is(refused.status, 422, refused.body.error)
  }
  t.is((await daemon.call('GET /api/backup')).body.pendingRestore, null)
  writeFileSync(file, whole)
  t.true((await look()).ok)
  rmSync(file)
  t.is((await daemon.call('GET /api/backup')).body.count, 0)
})

test('a backup of a damaged database reports the damage, and no older backup is deleted (operations.md 4.2)', async t => {
  const daemon = await startDaemon(t, { settings: { backup: { keep: 1, enabled: false } } })
  await Promise.all(
    Array.from({ length: 400 }, (_, n) => daemon.remember(`memory number ${n} ${'x'.repeat(500)}`)),
  )
  const good = await backUp(daemon)
  await daemon.stop()
  const bytes = readFileSync(daemon.paths.database)
  for (const page of pagesOf(t, daemon.paths.database, 'memory_history'))
    bytes.fill(0xab, (page - 1) * pageBytes, page * pageBytes)
  writeFileSync(daemon.paths.database, bytes)
  const again = await startDaemon(t, {
    workspace: daemon.paths.root,
    settings: { backup: { keep: 1, enabled: false } },
  })
  const { body } = await again.call('POST /api/backup', { body: {} })
  t.true((body.backup?.problems.length ?? 0) > 0)
  t.true((await again.call('GET /api/backup')).body.backups.some(({ id }) => id === good.id))
})

const pageBytes = 2048

/** Numbers of the first pages with rows of a table. */
function pagesOf(t: ExecutionContext, file: string, table: string): number[] {
  const raw = openRaw(t, file)
  const pages = raw
    .prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno LIMIT 3")
    .pluck()
    .all(table) as number[]
  raw.close()
  return pages
}

function manualLooks() {
  const known: (() => void)[] = []
  const every = (_ms: number, look: () => void) => {
    known.push(look)
    return () => undefined
  }
  const looks = (): void => {
    for (const look of known) look()
  }
  return { looks, timers: { every } as never }
}
