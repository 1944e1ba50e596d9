import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { settings } from '../../../../../src/contract/settings.js'
import { projectOf, projectOfCaller } from '../../../../../src/daemon/sessions/tracker/project-of.js'
import { temporaryFolder } from '../../../../helpers/temporary-folder.js'

function folder(t: ExecutionContext): string {
  return temporaryFolder(t, 'memory-service-project')
}

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
  return path
}

function projectIn(
  cwd: string | null,
  given: { projects?: Record<string, string>; environment?: NodeJS.ProcessEnv } = {},
) {
  const { projects = {}, environment = {} } = given
  const configuration = () => ({ settings: settings.parse({ projects }), problems: [] })
  return projectOf({ configuration, environment }, cwd)
}

test('a project is the same from its root, a subfolder and a worktree', async t => {
  const home = folder(t)
  const main = join(home, 'shop')
  repository(join(main, '.git'), '[remote "origin"]\n\turl = https://git.example/me/shop.git\n')
  mkdirSync(join(main, 'src', 'deep'), { recursive: true })
  const other = worktree(join(home, 'elsewhere', 'shop-feature'), join(main, '.git'))
  for (const cwd of [main, join(main, 'src', 'deep'), other, join(other, 'src')])
    t.is(await projectIn(cwd), main)
})

test('worktrees of a bare repository share the address of its origin, without credentials', async t => {
  const home = folder(t)
  for (const url of [
    'https://me:secret@git.example/me/shop.git',
    'git@git.example:me/shop',
    'ssh://git@git.example/me/shop.git',
  ]) {
    const bare = repository(
      join(home, encodeURIComponent(url)),
      `\tbare = true\n[remote "origin"]\n\turl = ${url}\n`,
    )
    t.is(
      await projectIn(worktree(join(home, `tree of ${encodeURIComponent(url)}`), bare)),
      'git.example/me/shop',
    )
  }
})

test('a bare repository without a remote is identified by its folder', async t => {
  const home = folder(t)
  const bare = repository(join(home, 'shop.git'), '\tbare = true\n')
  t.is(await projectIn(worktree(join(home, 'tree'), bare)), bare)
})

test('a folder without a repository is its own project, and without a folder there is none', async t => {
  const home = folder(t)
  t.is(await projectIn(join(home, 'notes')), join(home, 'notes'))
  t.is(await projectIn(null), null)
})

test('settings name a project for a folder and its subfolders, the environment for all others', async t => {
  const home = folder(t)
  repository(join(home, 'shop', '.git'))
  const projects = { [join(home, 'shop')]: 'the shop', [join(home, 'shop', 'docs')]: 'the manual' }
  const environment = { SERVICE_PROJECT: 'everything else' }
  t.is(await projectIn(join(home, 'shop', 'src'), { projects, environment }), 'the shop')
  t.is(await projectIn(join(home, 'shop', 'docs', 'en'), { projects, environment }), 'the manual')
  t.is(await projectIn(join(home, 'blog'), { projects, environment }), 'everything else')
})

test('a folder of another machine keeps its path, whatever exists there locally', async t => {
  const home = folder(t)
  repository(join(home, 'shop', '.git'))
  const cwd = join(home, 'shop', 'src')
  const projects = { [join(home, 'blog')]: 'the blog' }
  const configuration = () => ({ settings: settings.parse({ projects }), problems: [] })
  const of = (caller: { peer: string; forwarded?: boolean }, path: string, environment = {}) =>
    projectOfCaller({ configuration, environment }, caller, path)
  const [here, there, proxied] = [
    { peer: '127.0.0.1' },
    { peer: '203.0.113.9' },
    { peer: '127.0.0.1', forwarded: true },
  ]
  t.is(await of(here, cwd), join(home, 'shop'))
  for (const caller of [there, proxied]) {
    t.is(await of(caller, cwd), cwd)
    t.is(await of(caller, join(home, 'blog', 'en')), 'the blog')
    t.is(await of(caller, cwd, { SERVICE_PROJECT: 'everything else' }), 'everything else')
  }
})

test('a path of another operating system is not relative to the daemon', async t => {
  const configuration = () => ({ settings: settings.parse({}), problems: [] })
  for (const cwd of [process.platform === 'win32' ? 'shop' : 'C:\\Users\\me\\shop', 'shop/src'])
    t.is(await projectOfCaller({ configuration, environment: {} }, { peer: '127.0.0.1' }, cwd), cwd)
})

test('a remote folder is one project for any spelling and operating system', async t => {
  const configuration = () => ({ settings: settings.parse({}), problems: [] })
  const there = { peer: '203.0.113.9' }
  for (const [said, folder] of [
    ['/not/here/shop/', '/not/here/shop'],
    ['/not//here/./shop/src/..', '/not/here/shop'],
    ['/', '/'],
    ['C:\\Users\\me\\shop\\', 'C:\\Users\\me\\shop'],
    ['C:/Users/me/shop', 'C:\\Users\\me\\shop'],
    ['shop', 'shop'],
  ])
    t.is(await projectOfCaller({ configuration, environment: {} }, there, said), folder ?? '', said)
})

if (process.platform !== 'win32')
  test('a cloned folder with devices, pipes and endless files is looked at without waiting', async t => {
    const hang = { device: '/dev/ptmx', zeros: '/dev/zero', pipe: 'pipe' }
    const root = folder(t)
    for (const [name, target] of Object.entries(hang)) {
      const bare = repository(join(root, name))
      execFileSync('mkfifo', [join(bare, 'pipe')])
      for (const file of ['config', 'commondir']) {
        rmSync(join(bare, file), { force: true })
        symlinkSync(target, join(bare, file))
      }
    }
    const large = repository(join(root, 'large'))
    truncateSync(join(large, 'config'), 2 ** 40)
    execFileSync('mkfifo', [join(root, '.git')])
    // More than the threads that Node has for files.
    for (let times = 0; times < 3; times++)
      for (const name of [...Object.keys(hang), 'large']) {
        const startedAt = Date.now()
        t.is(await projectIn(join(root, name, 'objects')), join(root, name), name)
        t.true(Date.now() - startedAt < 1000, name)
      }
  })

test('the time to read a config grows with its length only', async t => {
  const root = folder(t)
  for (const [name, part] of Object.entries({
    lines: '\n',
    blanks: ' ',
    tabs: '\t\n',
    heads: '[remote "origin"]\n',
  })) {
    const bare = repository(join(root, name), `${part.repeat(500_000 / part.length)}x`)
    const startedAt = Date.now()
    t.is(await projectIn(bare), bare)
    t.true(Date.now() - startedAt < 1000, name)
  }
})

test('a config that is a link is read, as some tools lay out repositories', async t => {
  const root = folder(t)
  const shared = repository(
    join(root, 'shared'),
    '[remote "origin"]\n\turl = https://u:p@ss@example.org/a.git\r\n',
  )
  const bare = repository(join(root, 'bare'))
  rmSync(join(bare, 'config'))
  symlinkSync(join(shared, 'config'), join(bare, 'config'))
  t.is(await projectIn(bare), 'example.org/a')
})
