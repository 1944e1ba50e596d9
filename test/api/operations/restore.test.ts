// runs: alone, since packing megabytes holds the event loop

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import { asNameOfNext, backUp, makeArchive, type TarEntry, tarOf } from '../../helpers/archives.js'
import { migratedWorkspace, startDaemon, type TestDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import { put, textAt } from '../../helpers/git.js'
import { migratedDatabase } from '../../helpers/migrated-database.js'

/** Without this, the scheduled backup starts a minute after the daemon, mid-test on a busy machine. */
const unscheduled = { settings: { backup: { enabled: false } } }

test('a restore previews its changes, happens at the next start, and can be undone and redone (operations.md 4.4)', async t => {
  const first = await startDaemon(t, unscheduled)
  const { remember, call } = first
  for (const text of ['one', 'two', 'three']) await remember(text)
  put(first, 'AGENTS.md', 'as it was')
  put(first, 'skills/old/SKILL.md', 'old')
  const backup = await backUp(first)
  const wanted = hashesOf(first)
  await remember('four')
  put(first, 'AGENTS.md', 'changed')
  put(first, 'later.md', 'later')
  rmSync(join(first.paths.skills, 'old'), { recursive: true })
  const params = { id: backup.id }
  t.is((await call('POST /api/backup/:id/restore', { params, body: {} })).status, 400)
  const plan = (await call('POST /api/backup/:id/restore', { params, body: { dryRun: true } })).body
  t.like(plan, {
    dryRun: true,
    restartRequired: false,
    memories: { now: 4, inBackup: 3 },
    secretsKey: 'none',
    synced: false,
  })
  t.like(plan.files, { added: 1, movedAway: 1 })
  t.is((await call('GET /api/backup')).body.pendingRestore, null)
  const done = (await call('POST /api/backup/:id/restore', { params, body: { confirm: true } })).body
  t.like(done, { dryRun: false, restartRequired: true })
  t.is(textAt(first, 'AGENTS.md'), 'changed')
  t.is((await call('GET /api/backup')).body.pendingRestore?.id, backup.id)
  const second = await restartDaemon(t, first)
  t.is((await second.call('GET /api/memories')).body.memories.length, 3)
  t.deepEqual(hashesOf(second), wanted)
  t.false(existsSync(join(second.paths.root, 'later.md')))
  t.true(existsSync(backup.file))
  const { lastRestore } = (await second.call('GET /api/backup')).body
  t.like(lastRestore, { id: backup.id, kind: 'restore', memories: 3, canUndo: true })
  t.like((await second.call('POST /api/backup/undo', { body: { confirm: true } })).body, {
    restartRequired: true,
  })
  const third = await restartDaemon(t, second)
  t.is((await third.call('GET /api/memories')).body.memories.length, 4)
  t.is(textAt(third, 'AGENTS.md'), 'changed')
  t.is(textAt(third, 'later.md'), 'later')
  await third.call('POST /api/backup/undo', { body: { confirm: true } })
  const fourth = await restartDaemon(t, third)
  t.is((await fourth.call('GET /api/memories')).body.memories.length, 3)
  t.is(readdirSync(fourth.paths.restore).filter(name => name.startsWith('in-')).length, 0)
})

for (const [where, folder] of [
  ['the workspace itself', ''],
  ['a subfolder with a trailing slash', 'mine/'],
] as const)
  test(`with backups in ${where} no backup contains another, and a restore can be undone (operations.md 4.4)`, async t => {
    const workspace = migratedWorkspace(t)
    const options = { workspace, settings: { backup: { enabled: false, folder: join(workspace, folder) } } }
    const first = await startDaemon(t, options)
    await first.remember('one')
    put(first, 'AGENTS.md', 'as it was')
    const one = await backUp(first)
    const two = await backUp(first)
    t.is(two.files, one.files)
    await first.remember('two')
    put(first, 'AGENTS.md', 'changed')
    await first.call('POST /api/backup/:id/restore', { params: { id: one.id }, body: { confirm: true } })
    await first.stop()
    const second = await startDaemon(t, options)
    t.is((await second.call('GET /api/memories')).body.memories.length, 1)
    t.is(textAt(second, 'AGENTS.md'), 'as it was')
    t.is((await second.call('GET /api/backup')).body.count, 2)
    await second.call('POST /api/backup/undo', { body: { confirm: true } })
    await second.stop()
    const third = await startDaemon(t, options)
    t.is((await third.call('GET /api/memories')).body.memories.length, 2)
    t.is(textAt(third, 'AGENTS.md'), 'changed')
  })

test('an archive restores by path into an empty workspace, and a prepared restore can be cancelled (operations.md 4.4)', async t => {
  const from = await startDaemon(t, unscheduled)
  await from.remember('one')
  const { file } = await backUp(from)
  const to = await startDaemon(t, unscheduled)
  const body = { file, confirm: true }
  t.like((await to.call('POST /api/backup/restore', { body })).body, { memories: { now: 0, inBackup: 1 } })
  t.like((await to.call('POST /api/backup/undo', { body: { confirm: true } })).body, {
    restartRequired: false,
  })
  t.deepEqual(readdirSync(to.paths.restore), [])
  await to.call('POST /api/backup/restore', { body })
  const again = await restartDaemon(t, to)
  t.is((await again.call('GET /api/memories')).body.memories.length, 1)
  t.is(
    (await again.call('POST /api/backup/restore', { body: { file: '/nowhere.tar.gz', dryRun: true } }))
      .status,
    422,
  )
  t.is((await again.call('POST /api/backup/undo', { body: {} })).status, 400)
})

/** Hostile archives with the word in their refusal. */
const hostile: readonly [what: string, word: RegExp, archive: () => Parameters<typeof makeArchive>[2]][] = [
  [
    'a path out of the workspace',
    /is not a workspace file/,
    () => only({ name: 'workspace/../out.md', content: 'x' }),
  ],
  ['an absolute path', /is not a workspace file/, () => only({ name: '/etc/evil', content: 'x' })],
  [
    'a path with a backslash',
    /is not a workspace file/,
    () => only({ name: 'workspace/..\\out.md', content: 'x' }),
  ],
  [
    'a link',
    /is a symlink/,
    () => only({ name: 'workspace/a.md', type: 'symlink', linkname: '/etc/passwd' }),
  ],
  ['a hard link', /is a link/, () => only({ name: 'workspace/a.md', type: 'link', linkname: 'workspace/b' })],
  ['a device', /is a character-device/, () => only({ name: 'workspace/a', type: 'character-device' })],
  [
    'the key of secrets',
    /is not a workspace file/,
    () => only({ name: 'workspace/.secrets/machine.key', content: 'x' }),
  ],
  [
    'a hook of git',
    /is not a workspace file/,
    () => only({ name: 'workspace/.git/hooks/post-checkout', content: 'x' }),
  ],
  [
    'a file of the daemon',
    /is not a workspace file/,
    () => only({ name: 'workspace/.daemon/auth-secret', content: 'x' }),
  ],
  [
    'a file twice',
    /twice/,
    () => ({ entries: [1, 2].map(n => ({ name: 'workspace/a.md', content: `${n}` })) }),
  ],
  ['more bytes than declared', /more than its header declares/, () => ({ header: { bytes: 10 } })],
  [
    'more files than declared',
    /more than its header declares/,
    () => ({ ...only({ name: 'workspace/a', content: 'x' }), header: { files: 1 } }),
  ],
  ['a newer schema', /newer memory-service/, () => ({ header: { schema: 9999 } })],
  ['more than the free disk space', /free space/, () => ({ header: { bytes: Number.MAX_SAFE_INTEGER } })],
  ['a wrong row count', /rows expected/, () => ({ manifest: { tables: { memories: 7 } } })],
  ['another header', /not from a backup/, () => ({ header: { format: 'x' } })],
]

test('hostile archives are refused by name, and nothing is written outside the workspace (operations.md 4.3)', async t => {
  const daemon = await startDaemon(t, unscheduled)
  const folder = temporaryWorkspace(t)
  const file = join(folder, 'made.tar.gz')
  const refuse = async (what: string, word: RegExp, ways: object[] = [{ confirm: true }]): Promise<void> => {
    for (const body of ways) {
      const { status, body: reply } = await daemon.call('POST /api/backup/restore', {
        body: { file, ...body },
      })
      t.true([422, 507].includes(status), `${what}: ${status}`)
      t.regex(reply.error ?? '', word, what)
    }
  }
  for (const [what, word, archive] of hostile) {
    await makeArchive(file, migratedDatabase(), archive())
    await refuse(what, word)
  }
  // The name header claims an endless name; the file is tiny when compressed.
  const long = asNameOfNext(await tarOf([{ name: 'x', content: Buffer.alloc(64 * 1024 * 1024, 'a') }]))
  writeFileSync(file, gzipSync(long, { level: 1 }))
  await refuse('an endless name', /too long|torn/)
  await makeArchive(file, Buffer.from('no database'))
  await refuse('no database', /not a database|not a memory-service database/, [
    { dryRun: true },
    { confirm: true },
  ])
  t.deepEqual(readdirSync(folder), ['made.tar.gz'])
  t.deepEqual(existsSync(daemon.paths.restore) ? readdirSync(daemon.paths.restore) : [], [])
  t.false(existsSync(join(daemon.paths.root, '..', 'out.md')))
})

test('a restore reports whether this machine has the key of the archived secrets (operations.md 4.4)', async t => {
  const daemon = await startDaemon(t, unscheduled)
  await daemon.call(
    'POST /api/secrets/:name' as never,
    { params: { name: 'TOKEN' }, body: { value: 'quite-secret' } } as never,
  )
  await daemon.remember('one')
  const { id, file } = await backUp(daemon)
  const here = await daemon.call('POST /api/backup/:id/restore', { params: { id }, body: { dryRun: true } })
  t.is(here.body.secretsKey, 'same')
  const other = await startDaemon(t, unscheduled)
  const there = await other.call('POST /api/backup/restore', { body: { file, dryRun: true } })
  t.is(there.body.secretsKey, 'other')
  t.false(readFileSync(file).includes('quite-secret'))
})

function only(entry: TarEntry) {
  return { entries: [entry] }
}

/** Restarts the workspace with its current settings. */
async function restartDaemon(t: ExecutionContext, before: TestDaemon): Promise<TestDaemon> {
  await before.stop()
  return startDaemon(t, { ...unscheduled, workspace: before.paths.root })
}

/** The hash of every user-visible file. */
function hashesOf({ paths }: TestDaemon): Record<string, string> {
  const names = readdirSync(paths.root, { recursive: true, encoding: 'utf8', withFileTypes: true })
  const found = names.flatMap(entry => {
    const path = join(entry.parentPath, entry.name).slice(paths.root.length + 1)
    if (!entry.isFile() || /^(?:\.daemon|backups|memory)|^agent\.yaml/u.test(path)) return []
    return [
      [
        path,
        createHash('sha256')
          .update(readFileSync(join(paths.root, path)))
          .digest('hex'),
      ] as const,
    ]
  })
  return Object.fromEntries(found)
}
