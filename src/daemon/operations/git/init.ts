import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import type { GitOutcome, gitInit } from '../../../contract/operations/git.js'
import { replaceFile } from '../../../lib/files/replace-file.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type Git, GitFault, withoutCredentials } from '../../platform/processes/git-program.js'
import { type Changes, findChanges, ignoreFile } from './committable.js'
import { gitOf } from './git-of-daemon.js'
import { runRecoverably } from './interrupted.js'
import { commitChanges, gitDirOf, isRepository, openRepository } from './repository.js'
import { attempt } from './run-action.js'

type Body = z.infer<(typeof gitInit)['body']>
type Reply = GitOutcome & Changes & { dryRun: boolean; created: boolean }

/**
 * Makes the workspace a repository on the configured branch, with a `.gitignore`, a first commit and the
 * remote. An existing repository is kept, and so is a remote that has another address.
 */
export async function initRepository(daemon: Daemon, { remoteUrl, dryRun }: Body): Promise<Reply> {
  const state = gitOf(daemon)
  const { git } = state
  return state.inLine(async () => {
    const { root } = daemon.paths
    const ignore = join(root, '.gitignore')
    const found: Changes = { files: [], leftOut: [] }
    const done: string[] = []
    let created = false
    const outcome = await attempt(done, async () => {
      // A repository left incomplete by a kill is completed: `git init` keeps existing files.
      created = !isRepository(daemon) || (await gitDirOf(daemon, git)) === undefined
      Object.assign(found, created ? await wouldBeCommitted(daemon, git) : await findChanges(git, root))
      const isIgnoreNew = !existsSync(ignore)
      if (isIgnoreNew) found.files.unshift('.gitignore')
      if (remoteUrl !== undefined && !created) await checkRemote(daemon, git, remoteUrl)
      if (dryRun) return
      if (created) {
        await git.run(['init', '--quiet', `--initial-branch=${daemon.configuration().settings.git.branch}`])
        // An earlier failure because of the missing repository is obsolete now.
        state.lastRun = null
        done.push(`made a repository in ${root}`)
      }
      const repository = await openRepository(daemon, git)
      await runRecoverably(daemon, repository, async () => {
        if (isIgnoreNew) replaceFile(ignore, ignoreFile, 0o600)
        if (remoteUrl !== undefined) done.push(await addRemote(daemon, git, remoteUrl))
        done.push((await commitChanges(repository)) ?? 'nothing to commit')
      })
    })
    return { ...outcome, ...found, dryRun, created }
  })
}

/** Lists what a first commit would contain, using a temporary git folder. */
async function wouldBeCommitted({ paths }: Daemon, git: Git): Promise<Changes> {
  const folder = join(paths.daemonDir, 'git', 'preview')
  const inside = ['--git-dir', folder, '--work-tree', paths.root] as const
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    await git.run(['init', '--quiet', '--bare', folder])
    replaceFile(join(folder, 'info', 'exclude'), ignoreFile, 0o600)
    return await findChanges({ ...git, run: (args, call) => git.run([...inside, ...args], call) }, paths.root)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** @throws GitFault when the remote has another address. */
async function checkRemote(daemon: Daemon, git: Git, url: string): Promise<void> {
  const known = await addressOf(daemon, git)
  if (known === undefined || known === url) return
  const { remote } = daemon.configuration().settings.git
  throw new GitFault(
    `the remote ${remote} is ${withoutCredentials(known)} already; change it by hand: git -C ${daemon.paths.root} remote set-url ${remote} ADDRESS`,
  )
}

async function addRemote(daemon: Daemon, git: Git, url: string): Promise<string> {
  const { remote } = daemon.configuration().settings.git
  if ((await addressOf(daemon, git)) === undefined) await git.run(['remote', 'add', '--', remote, url])
  return `${remote} is ${withoutCredentials(url)}`
}

async function addressOf(daemon: Daemon, git: Git): Promise<string | undefined> {
  const { remote } = daemon.configuration().settings.git
  const { code, stdout } = await git.ask(['config', '--get', `remote.${remote}.url`])
  return code === 0 ? stdout.trim() : undefined
}
