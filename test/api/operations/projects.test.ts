import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { temporaryFolder } from '../../helpers/temporary-folder.js'
import { fileOf, importInto, memoryLine } from '../../helpers/transfer.js'

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
    cwd,
    encoding: 'utf8',
  })

/** Creates a repository with one commit. */
function repository(folder: string, remote?: string): string {
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '-q', '-b', 'main')
  writeFileSync(join(folder, 'README.md'), folder)
  git(folder, 'add', '.')
  git(folder, 'commit', '-qm', 'first')
  if (remote) git(folder, 'remote', 'add', 'origin', remote)
  return folder
}

async function start(t: ExecutionContext) {
  const daemon = await startDaemon(t)
  const home = temporaryFolder(t, 'memory-service-projects')
  const remember = (content: string, body: object = {}, folder?: string) =>
    daemon.call('POST /api/memory/remember', {
      body: { content, ...body },
      ...(folder && { headers: { 'x-service-project': encodeURI(folder) } }),
    })
  const told = async (cwd: string) => {
    const { body } = await daemon.call('POST /api/hooks/session-start', {
      body: { harness: 'claude-code', cwd },
    })
    return (body as { memories: { content: string }[] }).memories.map(({ content }) => content).sort()
  }
  const projects = async () => (await daemon.call('GET /api/projects')).body.projects
  return { ...daemon, home, remember, told, projects }
}

test('a rule saved under a name, in the folder or in a worktree reaches agents of the repository, and no others', async t => {
  const { home, remember, told } = await start(t)
  const shop = repository(join(home, 'shop'), 'git@git.example:acme/shop.git')
  const other = repository(join(home, 'other'))
  await remember('named rule', { type: 'rule', project: 'shop' })
  t.deepEqual(await told(shop), ['named rule'])
  await remember('rule of the folder', { type: 'rule' }, join(shop))
  git(shop, 'worktree', 'add', '-q', join(home, 'shop-feature'))
  git(home, 'clone', '-q', shop, join(home, 'shop-clone'))
  symlinkSync(shop, join(home, 'link'))
  await remember('rule of the worktree', { type: 'rule' }, join(home, 'shop-feature'))
  const all = ['named rule', 'rule of the folder', 'rule of the worktree']
  for (const folder of ['shop', 'shop-feature', 'shop-clone', 'link'])
    t.deepEqual(await told(join(home, folder)), all, folder)
  t.deepEqual(await told(other), [])
})

test('a moved repository without a remote is found by its first commit', async t => {
  const { home, remember, told } = await start(t)
  const notes = repository(join(home, 'notes'))
  await remember('rule of notes', { type: 'rule' }, notes)
  renameSync(notes, join(home, 'moved'))
  t.deepEqual(await told(join(home, 'moved')), ['rule of notes'])
})

test('reads in a repository that is not a known place ask git once for each commit checked out', async t => {
  const programs = temporaryFolder(t, 'memory-service-git')
  const asked = join(programs, 'asked')
  const script = `#!/bin/sh\necho >> '${asked}'\nPATH='${process.env.PATH}' exec git "$@"\n`
  writeFileSync(join(programs, 'git'), script, { mode: 0o755 })
  const daemon = await startDaemon(t, { environment: { PATH: programs } })
  const home = temporaryFolder(t, 'memory-service-projects')
  const notes = repository(join(home, 'notes'))
  await daemon.call('POST /api/memory/remember', {
    body: { content: 'rule of notes' },
    headers: { 'x-service-project': encodeURI(notes) },
  })
  git(home, 'clone', '-q', `file://${notes}`, 'copy')
  const copy = join(home, 'copy')
  git(copy, 'remote', 'remove', 'origin')
  const questions = () => readFileSync(asked, 'utf8').length
  const list = async () =>
    (await daemon.call('GET /api/memories', { headers: { 'x-service-project': encodeURI(copy) } })).body
      .matching
  const before = questions()
  for (let round = 0; round < 3; round++) t.is(await list(), 1)
  t.is(questions() - before, 1)
  git(copy, 'commit', '-qm', 'second', '--allow-empty')
  for (let round = 0; round < 3; round++) t.is(await list(), 1)
  t.is(questions() - before, 2)
})

test('a removed worktree stays in its project', async t => {
  const { home, remember, told } = await start(t)
  const shop = repository(join(home, 'shop'), 'https://git.example/acme/shop')
  git(shop, 'worktree', 'add', '-q', join(home, 'gone'))
  await remember('rule of shop', { type: 'rule' }, join(home, 'gone'))
  rmSync(join(home, 'gone'), { recursive: true })
  t.deepEqual(await told(join(home, 'gone')), ['rule of shop'])
})

test('clones of a fork are two projects, which can be joined and separated again', async t => {
  const { home, remember, told, call } = await start(t)
  const shop = repository(join(home, 'shop'), 'https://git.example/acme/shop')
  git(home, 'clone', '-q', shop, 'fork')
  git(join(home, 'fork'), 'remote', 'set-url', 'origin', 'https://git.example/me/shop')
  await remember('rule of acme', { type: 'rule' }, shop)
  await remember('rule of the fork', { type: 'rule' }, join(home, 'fork'))
  t.deepEqual(await told(shop), ['rule of acme'])
  const body = { from: 'git.example/me/shop', into: 'git.example/acme/shop' }
  const preview = await call('POST /api/projects/join', { body: { ...body, dryRun: true } })
  t.like(preview.body, { id: null, memories: 1, dryRun: true })
  t.deepEqual(await told(shop), ['rule of acme'])
  const joined = await call('POST /api/projects/join', { body })
  t.deepEqual(await told(shop), ['rule of acme', 'rule of the fork'])
  t.deepEqual(await told(join(home, 'fork')), ['rule of acme', 'rule of the fork'])
  await call('POST /api/projects/undo', { body: { id: joined.body.id ?? '' } })
  t.deepEqual(await told(shop), ['rule of acme'])
  t.deepEqual(await told(join(home, 'fork')), ['rule of the fork'])
})

test('.memory.yaml names a part of a repository, or a folder without one', async t => {
  const { home, remember, told, projects } = await start(t)
  const mono = repository(join(home, 'mono'), 'https://git.example/acme/mono')
  const web = join(mono, 'web')
  mkdirSync(join(web, 'src'), { recursive: true })
  writeFileSync(join(web, '.memory.yaml'), 'project: web\n')
  await remember('rule of web', { type: 'rule' }, join(web, 'src'))
  t.deepEqual(await told(web), ['rule of web'])
  t.deepEqual(await told(mono), [])
  const diary = join(home, 'diary')
  mkdirSync(diary)
  writeFileSync(join(diary, '.memory.yaml'), 'project: my diary\n')
  await remember('rule of the diary', { type: 'rule', project: 'my diary' })
  t.deepEqual(await told(diary), ['rule of the diary'])
  t.true((await projects()).some(({ key }) => key === 'git.example/acme/mono#web'))
})

test('a file outside a repository does not give the memories of a repository', async t => {
  const { home, remember, told } = await start(t)
  const shop = repository(join(home, 'shop'), 'https://git.example/acme/shop')
  await remember('rule of shop', { type: 'rule' }, shop)
  const foreign = join(home, 'foreign')
  mkdirSync(foreign)
  for (const name of ['shop', 'git.example/acme/shop']) {
    writeFileSync(join(foreign, '.memory.yaml'), `project: ${name}\n`)
    t.deepEqual(await told(foreign), [], name)
  }
})

test('a name that is only read with becomes no project', async t => {
  const { remember, call, projects } = await start(t)
  await remember('Releases ship on Monday', { project: 'shop' })
  await call('POST /api/memory/recall', { body: { query: 'releases', project: 'shp' } })
  await call('POST /api/memory/forget', { body: { mode: 'preview', query: 'releases', project: 'shp' } })
  t.deepEqual(
    (await projects()).map(({ name }) => name),
    ['shop'],
  )
})

test('a recall in a project finds its memories first, those of no project too, and no others', async t => {
  const { home, remember, call } = await start(t)
  const shop = repository(join(home, 'shop'), 'https://git.example/acme/shop')
  await remember('Releases ship on Thursday afternoon')
  await remember('Releases ship on Tuesday morning', {}, shop)
  await remember('Releases ship on Monday', { project: 'other' })
  const found = async (body: object, headers = {}) =>
    (
      await call('POST /api/memory/recall', { body: { query: 'when do releases ship', ...body }, headers })
    ).body.results.map(({ content }) => content)
  const here = { 'x-service-project': encodeURI(shop) }
  t.deepEqual(await found({}, here), [
    'Releases ship on Tuesday morning',
    'Releases ship on Thursday afternoon',
  ])
  t.deepEqual(await found({ project: 'other' }, here), ['Releases ship on Monday'])
  t.is((await found({})).length, 3)
})

test('a name that several projects have is refused with the keys', async t => {
  const { home, remember, call } = await start(t)
  for (const owner of ['acme', 'me'])
    await remember(
      `rule of ${owner}`,
      {},
      repository(join(home, owner, 'shop'), `https://git.example/${owner}/shop`),
    )
  const refused = await call('POST /api/memory/remember', { body: { content: 'text', project: 'shop' } })
  t.is(refused.status, 400)
  t.regex(JSON.stringify(refused.body), /git\.example\/acme\/shop, git\.example\/me\/shop/)
})

test('a caller that says it works in no project saves for none and finds what belongs to none', async t => {
  const { home, remember, call } = await start(t)
  const shop = repository(join(home, 'shop'), 'https://git.example/acme/shop')
  await remember('Releases ship on Tuesday', {}, shop)
  await remember('Releases ship on Thursday', {}, '-')
  const headers = { 'x-service-project': '-' }
  const { body } = await call('POST /api/memory/recall', { body: { query: 'releases' }, headers })
  t.deepEqual(
    body.results.map(({ content }) => content),
    ['Releases ship on Thursday'],
  )
  const { memories } = (await call('GET /api/memories', { headers })).body
  t.deepEqual(
    memories.map(({ content, project }) => ({ content, project })),
    [{ content: 'Releases ship on Thursday', project: null }],
  )
})

test('forgetting looks where a recall looks, and under all keys of a project', async t => {
  const { home, remember, call } = await start(t)
  const shop = repository(join(home, 'shop'), 'https://git.example/acme/shop')
  await remember('Releases ship on Tuesday', {}, shop)
  await remember('Releases ship on Monday', { project: 'old' })
  await remember('Releases ship on Friday', { project: 'other' })
  const headers = { 'x-service-project': encodeURI(shop) }
  const preview = { mode: 'preview', query: 'releases' } as const
  t.like((await call('POST /api/memory/forget', { body: preview, headers })).body, { count: 1 })
  t.like((await call('POST /api/memory/forget', { body: preview })).body, { count: 3 })
  await call('POST /api/projects/join', { body: { from: 'old', into: 'git.example/acme/shop' } })
  const { body } = await call('POST /api/memory/forget', {
    body: { mode: 'execute', query: 'releases', project: 'shop', reason: 'a test' },
  })
  t.like(body, { requested: 2, deleted: 2 })
})

test('MEMORY.md names a repository without a remote by its name, and two of one name apart', async t => {
  const { home, remember, call, projects } = await start(t)
  const heads = async () => {
    const { prompt } = (await call('POST /api/hooks/synthesis', { body: {} })).body
    return [...prompt.matchAll(/^- \*\*(.+)\*\*: /gmu)].map(([, name]) => name)
  }
  await remember('always run the linter', {}, repository(join(home, 'a', 'shop')))
  t.deepEqual(await heads(), ['shop'])
  await remember('never run the linter', {}, repository(join(home, 'b', 'shop')))
  const keys = (await projects()).map(({ key }) => `shop (${key.slice(4, 12)})`)
  t.deepEqual((await heads()).sort(), keys.sort())
})

test('an import brings its projects, and a repository gets its name when somebody works in it', async t => {
  const { home, remember, projects } = await start(t)
  await remember('tea is at four', { project: 'kitchen' })
  const key = `git:${git(repository(join(home, 'shop')), 'rev-parse', 'HEAD').trim()}`
  const other = await start(t)
  const target = other as unknown as TestDaemon
  const lines = ['shop', 'kitchen'].map((id, at) => memoryLine(id, { content: id, project: at ? id : key }))
  t.like(await importInto(target, fileOf(...lines)), { body: { imported: 2 } })
  const named = async (list: typeof projects) =>
    (await list()).map(({ key: one, name }) => [one, name]).sort()
  t.deepEqual(await named(other.projects), [
    [key, key],
    ['kitchen', 'kitchen'],
  ])
  await other.remember('never deploy on Friday', {}, join(home, 'shop'))
  t.deepEqual(await named(other.projects), [
    [key, 'shop'],
    ['kitchen', 'kitchen'],
  ])
})
