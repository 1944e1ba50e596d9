import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import {
  createForeignGit,
  type HarmlessCommand,
} from '../../../../../src/daemon/platform/processes/foreign-git.js'
import {
  createGit,
  GitFault,
  withoutCredentials,
} from '../../../../../src/daemon/platform/processes/git-program.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'
import { gitIn, gitOnly } from '../../../../helpers/git.js'
import { temporaryFolder } from '../../../../helpers/temporary-folder.js'

/** The programs that hostile settings name are shell scripts, which Windows does not run. */
const unix = process.platform === 'win32' ? test.skip : test

/** A repository with two commits, and a program that leaves a file when it runs. */
function hostileRepository(t: ExecutionContext, environment: NodeJS.ProcessEnv = {}) {
  const folder = temporaryFolder(t, 'hostile')
  const trace = join(folder, 'ran')
  const program = join(folder, 'program')
  writeFileSync(program, `#!/bin/sh\ntouch '${trace}'\nexit 1\n`, { mode: 0o755 })
  gitIn(folder, 'init', '--quiet', '--initial-branch=main')
  for (const text of ['one', 'two']) {
    writeFileSync(join(folder, 'a.txt'), text)
    gitIn(folder, 'add', 'a.txt')
    gitIn(folder, 'commit', '--quiet', '-m', text)
  }
  const root = temporaryWorkspace(t)
  const deps = {
    paths: workspacePaths(root),
    log: pino({ level: 'silent' }),
    environment: { ...gitOnly(root), ...environment },
  }
  const { signal } = new AbortController()
  return {
    folder,
    program,
    set: (name: string, value: string) => gitIn(folder, 'config', name, value),
    git: createForeignGit(deps, { folder }, signal),
    own: createForeignGit(deps, { gitDir: join(folder, '.git') }, signal),
    /** The git of the workspace, in the same folder. */
    unguarded: createGit(deps, signal),
    hasRun: () => existsSync(trace),
    forget: () => rmSync(trace, { force: true }),
  }
}

const missing = `${'1'.repeat(40)}\n`
const lookUp = ['cat-file', ['--batch-check'], { input: missing }] as const

/** Makes git fetch missing objects with a program that the repository names. */
function makePartial({ folder, program, set }: ReturnType<typeof hostileRepository>): void {
  set('core.repositoryFormatVersion', '1')
  set('extensions.partialClone', 'origin')
  set('remote.origin.url', folder)
  set('remote.origin.promisor', 'true')
  set('remote.origin.uploadpack', program)
  set('protocol.file.allow', 'always')
}

unix('a question fetches nothing with the program of a partial clone', async t => {
  const repository = hostileRepository(t)
  makePartial(repository)
  await repository.unguarded.ask(['-c', 'protocol.allow=never', 'cat-file', '--batch-check'], {
    cwd: repository.folder,
    input: missing,
  })
  t.true(repository.hasRun(), 'without the guard it runs')
  repository.forget()
  await repository.git.ask(...lookUp)
  t.false(repository.hasRun())
})

unix("questions about a repository's own folder fetch nothing either", async t => {
  const repository = hostileRepository(t)
  makePartial(repository)
  t.not(await repository.own.run('rev-list', ['--max-parents=0', 'HEAD', '--']), '')
  await repository.own.ask('merge-base', ['--is-ancestor', '1'.repeat(40), 'HEAD'])
  t.false(repository.hasRun())
})

unix('a program named git in the folder is not taken for git', async t => {
  const { PATH } = process.env
  const repository = hostileRepository(t, { PATH: `.:${PATH}` })
  renameSync(repository.program, join(repository.folder, 'git'))
  t.not(await repository.git.run('rev-parse', ['HEAD']), '')
  t.false(repository.hasRun())
})

unix('a bare repository inside a clone is not used', async t => {
  const repository = hostileRepository(t)
  const { folder, unguarded } = repository
  makePartial(repository)
  const bare = join(folder, 'sub')
  renameSync(join(folder, '.git'), bare)
  gitIn(bare, 'config', 'core.bare', 'true')
  t.is((await unguarded.ask(['rev-parse', '--git-dir'], { cwd: bare })).code, 0, 'without the guard it is')
  const root = temporaryWorkspace(t)
  const deps = { paths: workspacePaths(root), log: pino({ level: 'silent' }), environment: gitOnly(root) }
  const git = createForeignGit(deps, { folder: bare }, new AbortController().signal)
  await t.throwsAsync(git.run(...lookUp), { instanceOf: GitFault, message: /bare repository/u })
  t.false(repository.hasRun())
})

unix(
  'hooks, fsmonitor, filters, diff programs, signatures and pagers of a repository do not run',
  async t => {
    const repository = hostileRepository(t, { GIT_PAGER: 'less', GIT_EXTERNAL_DIFF: 'false' })
    const { folder, program, set, git } = repository
    mkdirSync(join(folder, 'hooks'))
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction'])
      writeFileSync(join(folder, 'hooks', hook), `#!/bin/sh\n'${program}' </dev/null\n`, { mode: 0o755 })
    writeFileSync(join(folder, '.gitattributes'), '* diff=x filter=x\n')
    const programs = [
      'core.fsmonitor',
      'diff.external',
      'diff.x.textconv',
      'diff.x.command',
      'filter.x.clean',
    ]
    const more = ['filter.x.smudge', 'gpg.program', 'core.pager', 'core.sshCommand', 'core.askPass']
    for (const name of [
      ...programs,
      ...more,
      'credential.helper',
      'core.alternateRefsCommand',
      'core.editor',
    ])
      set(name, program)
    set('core.hooksPath', join(folder, 'hooks'))
    set('log.showSignature', 'true')
    set('alias.rev-parse', `!${program}`)
    repository.forget()
    const calls: [HarmlessCommand, string[]][] = [
      ['cat-file', ['-p', 'HEAD:a.txt']],
      ['for-each-ref', []],
      ['ls-tree', ['-r', 'HEAD']],
      ['merge-base', ['HEAD', 'HEAD~1']],
      ['rev-list', ['--all']],
      ['rev-parse', ['HEAD']],
      ['show-ref', []],
      ['symbolic-ref', ['HEAD']],
      ['diff-tree', ['-p', 'HEAD~1', 'HEAD']],
      ['log', ['-p', '--all']],
      ['show', ['HEAD']],
    ]
    for (const [command, args] of calls) {
      t.not(await git.run(command, args), '', command)
      t.false(repository.hasRun(), command)
    }
    await repository.unguarded.ask(['show', 'HEAD'], { cwd: folder })
    t.true(repository.hasRun(), 'without the guard they run')
  },
)

test('no part of a password remains in a message', t => {
  t.is(withoutCredentials('https://user:p@ssword@host/x'), 'https://host/x')
  t.is(withoutCredentials('a ssh://git@host/x and https://u:p@h/y@z'), 'a ssh://host/x and https://h/y@z')
})
