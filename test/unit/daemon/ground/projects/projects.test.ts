import { randomUUID } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { settings } from '../../../../../src/contract/settings.js'
import { localRemote, remoteKey } from '../../../../../src/daemon/ground/projects/git-settings.js'
import { Projects } from '../../../../../src/daemon/ground/projects/projects.js'
import { headOf } from '../../../../../src/daemon/ground/projects/repository.js'
import { noGit } from '../../../../helpers/no-git.js'
import { openTestStore } from '../../../../helpers/store.js'
import { temporaryFolder } from '../../../../helpers/temporary-folder.js'

function folder(t: ExecutionContext): string {
  return temporaryFolder(t, 'memory-service-project')
}

/** Creates the files of a repository that are read. */
function repository(path: string, config = ''): string {
  for (const inner of ['objects', 'worktrees']) mkdirSync(join(path, inner), { recursive: true })
  writeFileSync(join(path, 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(path, 'config'), `[core]\n\trepositoryformatversion = 0\n${config}`)
  return path
}

/** Creates a linked worktree in the layout of git. */
function worktree(path: string, gitDir: string): string {
  const own = join(gitDir, 'worktrees', 'feature')
  mkdirSync(join(path, 'src'), { recursive: true })
  mkdirSync(own, { recursive: true })
  writeFileSync(join(path, '.git'), `gitdir: ${own}\n`)
  writeFileSync(join(own, 'commondir'), '../..\n')
  writeFileSync(join(own, 'HEAD'), 'ref: refs/heads/feature\n')
  return path
}

interface Setup {
  named?: Record<string, string>
  environment?: NodeJS.ProcessEnv
}

function projectsOf(t: ExecutionContext, { named = {}, environment = {} }: Setup = {}): Projects {
  const { store } = openTestStore(t)
  return new Projects({
    store,
    clock: () => new Date('2026-11-28T12:00:00Z'),
    newId: randomUUID,
    log: pino({ level: 'silent' }),
    configuration: () => ({ settings: settings.parse({ projects: named }), problems: [] }),
    environment,
    gitOf: noGit,
  })
}

const here = { isHere: true, adds: true }

async function headIn(projects: Projects, folder: string) {
  const { project, repository } = await projects.locate(folder, here)
  return { project, ...(repository && (await headOf(repository))) }
}

test('a project is the same from its root, a subfolder and a worktree, each with its branch', async t => {
  const home = folder(t)
  const main = join(home, 'shop')
  repository(join(main, '.git'), '[remote "origin"]\n\turl = https://git.example/me/shop.git\n')
  mkdirSync(join(main, 'src', 'deep'), { recursive: true })
  const other = worktree(join(home, 'elsewhere', 'shop-feature'), join(main, '.git'))
  const projects = projectsOf(t)
  for (const cwd of [main, join(main, 'src', 'deep')])
    t.like(await headIn(projects, cwd), { project: 'git.example/me/shop', branch: 'main' })
  for (const cwd of [other, join(other, 'src')])
    t.like(await headIn(projects, cwd), { project: 'git.example/me/shop', branch: 'feature' })
})

test('a repository without a remote and without commits is identified by its folder', async t => {
  const home = folder(t)
  const bare = repository(join(home, 'shop.git'), '\tbare = true\n')
  t.is((await projectsOf(t).locate(worktree(join(home, 'tree'), bare), here)).project, bare)
})

test('a bare folder inside a clone does not give it the project that its files name', async t => {
  const clone = join(folder(t), 'clone')
  repository(join(clone, '.git'), '[remote "origin"]\n\turl = https://git.example/them/clone.git\n')
  const bare = repository(join(clone, 'docs'), '[remote "origin"]\n\turl = https://git.example/me/shop.git\n')
  t.is((await projectsOf(t).locate(bare, here)).project, 'git.example/them/clone')
})

test('a folder without a repository is its own project', async t => {
  const notes = join(folder(t), 'notes')
  mkdirSync(notes)
  t.like(await projectsOf(t).locate(notes, here), { project: notes, repository: undefined })
})

test('settings name a project for a folder and its subfolders, the environment for all others', async t => {
  const home = folder(t)
  repository(join(home, 'shop', '.git'))
  const named = { [join(home, 'shop')]: 'the shop', [join(home, 'shop', 'docs')]: 'the manual' }
  const projects = projectsOf(t, { named, environment: { SERVICE_PROJECT: 'everything else' } })
  const of = async (...path: string[]) => (await projects.locate(join(home, ...path), here)).project
  t.is(await of('shop', 'src'), 'the shop')
  t.is(await of('shop', 'docs', 'en'), 'the manual')
  t.is(await of('blog'), 'everything else')
})

test('a link to a folder is the same project, and settings name it under either path', async t => {
  const home = folder(t)
  const [real, link] = [join(home, 'real', 'shop'), join(home, 'link')]
  mkdirSync(real, { recursive: true })
  symlinkSync(real, link)
  const { project } = await projectsOf(t).locate(real, here)
  t.is((await projectsOf(t).locate(link, here)).project, project)
  for (const [named, cwd] of [
    [real, link],
    [link, link],
  ] as const)
    t.is((await projectsOf(t, { named: { [named]: 'boats' } }).locate(cwd, here)).project, 'boats')
})

test('a folder of Windows is one project for a small and a capital drive letter', async t => {
  const remote = { isHere: false, adds: true }
  const projects = projectsOf(t, { named: { 'c:/Work/Boats': 'boats' } })
  const spellings = ['c:\\Users\\ada\\shop', 'C:\\Users\\ada\\shop', 'c:/Users/ada/shop/']
  for (const cwd of spellings) {
    t.is((await projects.locate(cwd, remote)).project, 'C:\\Users\\ada\\shop')
    t.is(await projects.resolve(cwd, remote), 'C:\\Users\\ada\\shop')
  }
  t.is((await projects.locate('C:\\work\\boats\\src', remote)).project, 'boats')
})

test('a project named by another spelling of a folder is joined when the folder is next used', async t => {
  const home = folder(t)
  const projects = projectsOf(t)
  t.is((await projects.locate(home, here)).project, home)
  await projects.change(async tables => {
    const at = '2026-11-28T12:00:00Z'
    await tables.add({ key: `${home}/`, name: 'shop', created_at: at, used_at: at })
    await tables.putKey(`${home}/`, `${home}/`)
  })
  t.is(projects.canonical(`${home}/`), `${home}/`)
  t.is((await projects.locate(home, here)).project, home)
  t.is(projects.canonical(`${home}/`), home)
})

test('a folder of another machine keeps its path, whatever exists there locally', async t => {
  const home = folder(t)
  repository(join(home, 'shop', '.git'), '[remote "origin"]\n\turl = https://git.example/me/shop.git\n')
  const cwd = join(home, 'shop')
  const projects = projectsOf(t, { named: { [join(home, 'blog')]: 'the blog' } })
  t.is((await projects.locate(cwd, { isHere: false, adds: true })).project, cwd)
  t.is((await projects.locate(join(home, 'blog', 'en'), { isHere: false, adds: true })).project, 'the blog')
  t.is((await projects.locate(cwd, here)).project, 'git.example/me/shop')
})

test('a remote folder is one project for any spelling and operating system', async t => {
  const projects = projectsOf(t)
  for (const [said, wanted] of [
    ['/not/here/shop/', '/not/here/shop'],
    ['/not//here/./shop/src/..', '/not/here/shop'],
    ['/', '/'],
    ['C:\\Users\\me\\shop\\', 'C:\\Users\\me\\shop'],
    ['C:/Users/me/shop', 'C:\\Users\\me\\shop'],
    ['shop', 'shop'],
  ] as const)
    t.is((await projects.locate(said, { isHere: false, adds: false })).project, wanted, said)
})

test('remotes of one repository have one key, without credentials', t => {
  for (const url of [
    'https://me:secret@git.example/me/shop.git',
    'git@git.example:me/shop',
    'ssh://git@Git.Example:22/me/shop.git/',
    'git.example:me/shop.git',
  ])
    t.is(remoteKey(url), 'git.example/me/shop', url)
})

test('a path, a drive and text with spaces or parent folders are not remotes', t => {
  for (const text of [
    '/srv/shop',
    '../shop',
    'C:\\shop',
    'C:/shop',
    'file:///srv/shop',
    'a b',
    'https://x/a b',
    'host:../x',
  ])
    t.is(remoteKey(text), undefined, text)
  t.is(localRemote('file:///srv/my%20shop'), '/srv/my shop')
  t.is(localRemote('../shop'), '../shop')
  t.is(localRemote('https://git.example/me/shop'), undefined)
})

test('what a caller gives is a key, a path, a remote or a name', async t => {
  const home = folder(t)
  const shop = join(home, 'shop')
  repository(join(shop, '.git'), '[remote "origin"]\n\turl = https://git.example/me/shop.git\n')
  mkdirSync(join(shop, 'src'))
  const projects = projectsOf(t)
  await projects.locate(shop, here)
  for (const given of [
    'git.example/me/shop',
    'shop',
    join(shop, 'src'),
    'git@git.example:me/shop.git',
    'https://git.example/me/shop',
  ])
    t.is(await projects.resolve(given, here), 'git.example/me/shop', given)
  t.is(await projects.resolve('unknown', { isHere: true, adds: false }), 'unknown')
  t.is(projects.row('unknown'), undefined)
})

test('a remote that git settings shorten is the project of its full address', async t => {
  const at = folder(t)
  repository(join(at, 'short', '.git'), '[remote "origin"]\n\turl = gh:acme/tools.git\n')
  repository(join(at, 'full', '.git'), '[Remote "origin"]\n\tURL = "git@git.example:acme/tools"\n')
  writeFileSync(
    join(at, 'gitconfig'),
    '# [url "x"]\n[url "https://git.example/"]\n\tinsteadOf = gh:\n\tinsteadOf = work:\n[url "https://other.example/"]\n\tinsteadOf = gh\n',
  )
  const projects = projectsOf(t, { environment: { GIT_CONFIG_GLOBAL: join(at, 'gitconfig') } })
  for (const name of ['short', 'full']) {
    const { project } = await projects.locate(join(at, name), here)
    t.is(project, 'git.example/acme/tools', name)
  }
  const elsewhere = projectsOf(t, { environment: { HOME: at } })
  t.is((await elsewhere.locate(join(at, 'short'), here)).project, 'gh/acme/tools')
})

test("a repository's own settings may shorten its remote too", async t => {
  const at = folder(t)
  const config =
    '[url "ssh://git@git.example:2222/"]\n\tinsteadOf = gh:\n[remote "origin"]\n\turl = gh:acme/tools\n'
  repository(join(at, '.git'), config)
  const projects = projectsOf(t, { environment: { HOME: at } })
  t.is((await projects.locate(at, here)).project, 'git.example/acme/tools')
})
