// runs: alone, since the event loop waits here while git runs

import { chmodSync, existsSync, mkdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { startDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import {
  bareRepository,
  filesAt,
  gitIn,
  put,
  startInRepository,
  startWithGit,
  textAt,
} from '../../helpers/git.js'

test('a pull does not touch ignored files or files specific to this machine (operations.md 1.5)', async t => {
  const remote = bareRepository(t)
  const [one, two] = [await startInRepository(t, remote), await startInRepository(t, remote)]
  for (const daemon of [one, two]) await daemon.call('POST /api/git/sync')
  writeFileSync(join(two.paths.root, '.git', 'info', 'exclude'), 'private*\n')
  put(two, 'private.md', 'of two\n')
  put(two, 'private', 'of two\n')
  for (const path of ['private.md', 'private/deep.md']) {
    put(one, path, 'of one\n')
    await one.call('POST /api/git/sync')
    const { body } = await two.call('POST /api/git/pull')
    t.regex(body.error ?? '', /private.*is ignored by git/)
    rmSync(join(one.paths.root, path))
    await one.call('POST /api/git/sync')
  }
  for (const path of ['private.md', 'private']) t.is(textAt(two, path), 'of two\n')
  put(one, 'private.md', 'of two\n')
  await one.call('POST /api/git/sync')
  t.true((await two.call('POST /api/git/pull')).body.success)
})

test('a dangling link that git ignores blocks a pull, and files of any size are compared (operations.md 1.5)', async t => {
  const remote = bareRepository(t)
  const [one, two] = [await startInRepository(t, remote), await startInRepository(t, remote)]
  for (const daemon of [one, two]) await daemon.call('POST /api/git/sync')
  writeFileSync(join(two.paths.root, '.git', 'info', 'exclude'), 'private*\n')
  const large = Buffer.alloc(33 * 1024 * 1024, 'a')
  put(one, 'skills/private.txt', large)
  put(two, 'skills/private.txt', 'of two\n')
  put(one, 'private.md', 'of one\n')
  symlinkSync('/nowhere', join(two.paths.root, 'private.md'))
  gitIn(one.paths.root, 'add', '--force', 'skills/private.txt')
  gitIn(one.paths.root, 'commit', '--quiet', '-m', 'by hand')
  await one.call('POST /api/git/sync')
  const pull = async () => (await two.call('POST /api/git/pull')).body
  t.regex((await pull()).error ?? '', /private\.md is ignored by git here/)
  t.is(readlinkSync(join(two.paths.root, 'private.md')), '/nowhere')
  rmSync(join(two.paths.root, 'private.md'))
  t.regex((await pull()).error ?? '', /skills\/private\.txt is ignored by git here/)
  put(two, 'skills/private.txt', large)
  const { success, error } = await pull()
  t.true(success, error ?? '')
  t.is(textAt(two, 'private.md'), 'of one\n')
})

test('commits of other machines cannot add, change or remove files specific to this machine (operations.md 1.5)', async t => {
  const remote = bareRepository(t)
  const [one, two] = [await startInRepository(t, remote), await startInRepository(t, remote)]
  for (const daemon of [one, two]) await daemon.call('POST /api/git/sync')
  const commit = ({ paths: { root } }: Pick<typeof one, 'paths'>, ...change: string[]) => {
    gitIn(root, ...change)
    gitIn(root, 'commit', '--quiet', '-m', 'by hand')
  }
  put(one, 'memory/old.db', 'of one\n')
  put(two, 'memory/old.db', 'of two\n')
  commit(one, 'add', '--force', 'memory/old.db')
  await one.call('POST /api/git/push')
  t.regex((await two.call('POST /api/git/pull')).body.error ?? '', /memory\/old\.db; nothing.*git rm/)
  t.is(textAt(two, 'memory/old.db'), 'of two\n')
  gitIn(two.paths.root, 'reset', '--hard', '--quiet', 'origin/main')
  commit(one, 'rm', '--cached', '--quiet', 'memory/old.db')
  await one.call('POST /api/git/push')
  t.regex((await two.call('POST /api/git/sync')).body.error ?? '', /memory\/old\.db; nothing/)
  commit(two, 'rm', '--cached', '--quiet', 'memory/old.db')
  const { body } = await two.call('POST /api/git/sync')
  t.true(body.success, body.error ?? '')
  t.is(textAt(two, 'memory/old.db'), 'of one\n')
})

for (const [where, workspaceIn] of [
  ['', (home: string) => join(home, 'workspace')],
  [', even with a colon in the path', (home: string) => join(home, 'a:b', 'workspace')],
  [
    ', even through a link',
    (home: string, elsewhere: string) => {
      mkdirSync(join(home, 'workspace'))
      symlinkSync(join(home, 'workspace'), join(elsewhere, 'link'))
      return join(elsewhere, 'link')
    },
  ],
] as const)
  test(`a half-initialised repository never uses that of a parent folder, and init completes it${where} (operations.md 1.3)`, async t => {
    const home = temporaryWorkspace(t)
    const daemon = await startWithGit(t, {}, workspaceIn(home, temporaryWorkspace(t)))
    gitIn(home, 'init', '--quiet', '--initial-branch=main')
    gitIn(home, 'remote', 'add', 'origin', '/of-somebody-else')
    mkdirSync(join(daemon.paths.root, '.git'))
    writeFileSync(join(home, 'README.md'), 'of somebody else\n')
    put(daemon, 'a.md', 'a\n')
    t.regex(
      (await daemon.call('POST /api/git/sync')).body.error ?? '',
      /does not recognise .* as a repository.*memory git init/,
    )
    t.regex(
      (await daemon.call('GET /api/git/status')).body.problem ?? '',
      /does not recognise .* as a repository/,
    )
    t.throws(() => gitIn(home, 'rev-parse', '--verify', 'HEAD'))
    const body = { remoteUrl: bareRepository(t) }
    t.like((await daemon.call('POST /api/git/init', { body })).body, { success: true, created: true })
    t.true(filesAt(daemon.paths.root).includes('a.md'))
    t.false(existsSync(join(home, '.git', 'index')))
  })

test('init in a repository that git cannot read says why, and creates none (operations.md 1.3)', async t => {
  const program = temporaryWorkspace(t)
  const daemon = await startDaemon(t, { environment: { PATH: program } })
  mkdirSync(join(daemon.paths.root, '.git'))
  const init = async () => (await daemon.call('POST /api/git/init', { body: {} })).body
  const isRefused = (body: Awaited<ReturnType<typeof init>>, why: RegExp) => {
    t.like(body, { success: false, created: false })
    t.regex(body.error ?? '', why)
  }
  isRefused(await init(), /git is not on the PATH/)
  const git = join(program, 'git')
  writeFileSync(
    git,
    '#!/bin/sh\necho "fatal: detected dubious ownership in repository at \'/x\'" >&2\nexit 128\n',
  )
  chmodSync(git, 0o755)
  isRefused(await init(), /dubious ownership/)
})
