import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import type {
  GitConfig,
  GitOutcome,
  GitStatus,
  gitInit,
  setGitConfig,
} from '../../../contract/operations/git.js'
import * as contract from '../../../contract/operations/git.js'
import { replaceFile } from '../../../lib/files/replace-file.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { type Git, GitFault, withoutCredentials } from '../../platform/processes/git-program.js'
import { type Changes, findChanges, ignoreFile } from './committable.js'
import { runRecoverably } from './interrupted.js'
import { trackingRef } from './pull-and-push.js'
import {
  commitChanges,
  commitOf,
  gitDirOf,
  gitOf,
  isRepository,
  openRepository,
  remoteAddress,
} from './repository.js'
import { attempt, runAction } from './run-action.js'
import { decideWaitingSettings, maskedWaiting, readWaitingSettings } from './waiting-settings.js'

/** Paths of each kind in a reply. */
const namedPaths = 200

const nothing = {
  branch: null,
  ahead: null,
  behind: null,
  dirty: false,
  lastCommit: null,
  remoteUrl: null,
  uncommitted: [],
  uncommittedCount: 0,
  leftOut: [],
} satisfies Partial<GitStatus>

export const routes = [
  route(contract.gitStatus, daemon => gitStatusOf(daemon)),
  route(contract.gitPull, daemon => runAction(daemon, 'pull')),
  route(contract.gitPush, daemon => runAction(daemon, 'push')),
  route(contract.gitSync, daemon => runAction(daemon, 'sync')),
  route(contract.gitInit, (daemon, { body }) => initRepository(daemon, body)),
  route(contract.getGitConfig, async daemon => configOf(daemon)),
  route(contract.readWaitingSettings, async daemon => readWaitingSettings(daemon)),
  route(contract.decideWaitingSettings, async (daemon, { caller, body }) =>
    decideWaitingSettings(daemon, caller, body),
  ),
  route(contract.setGitConfig, async (daemon, { body }) => changeConfig(daemon, body)),
]

/** The active git settings, and whether the workspace is a repository. */
function configOf(daemon: Pick<Daemon, 'paths' | 'configuration'>): GitConfig {
  return { enabled: isRepository(daemon), ...daemon.configuration().settings.git }
}

/**
 * Writes the given settings to agent.yaml; they take effect at once, including the timer.
 * @throws AppError `conflict` while that file is faulty.
 */
async function changeConfig(
  daemon: Daemon,
  body: z.infer<(typeof setGitConfig)['body']>,
): Promise<{ success: boolean; config: GitConfig }> {
  const given = Object.entries(body).filter(([, value]) => value !== undefined)
  if (given.length > 0)
    await daemon.changeSettings(Object.fromEntries(given.map(([key, value]) => [`git.${key}`, value])))
  if (body.autoSync !== undefined || body.syncInterval !== undefined || body.autoCommit !== undefined)
    gitOf(daemon).restartTimer()
  return { success: true, config: configOf(daemon) }
}

/** Uncommitted, unpushed and unpulled changes, as of the last fetch: the remote is not contacted. */
async function gitStatusOf(daemon: Daemon): Promise<GitStatus> {
  const { git, lastRun } = gitOf(daemon)
  const problem = await problemOf(() => openRepository(daemon, git))
  const enabled = isRepository(daemon)
  const waitingSettings = maskedWaiting(daemon)
  if (!enabled) return { ...nothing, enabled, waitingSettings, problem, lastRun }
  try {
    return { ...(await describeRepository(daemon, git)), enabled, waitingSettings, problem, lastRun }
  } catch (error) {
    if (!(error instanceof GitFault)) throw error
    return { ...nothing, enabled, waitingSettings, problem: problem ?? error.message, lastRun }
  }
}

async function describeRepository(
  daemon: Daemon,
  git: Git,
): Promise<Omit<GitStatus, 'enabled' | 'waitingSettings' | 'problem' | 'lastRun'>> {
  const settings = daemon.configuration().settings.git
  const { files, leftOut } = await findChanges(git, daemon.paths.root)
  const branch = (await git.ask(['symbolic-ref', '--quiet', '--short', 'HEAD'])).stdout.trim()
  const address = await remoteAddress({ git, settings }).catch(() => undefined)
  return {
    branch: branch || null,
    ...(await countAheadBehind(git, trackingRef(settings))),
    dirty: files.length > 0,
    lastCommit: await lastCommit(git),
    remoteUrl: address === undefined ? null : withoutCredentials(address),
    uncommitted: files.slice(0, namedPaths),
    uncommittedCount: files.length,
    leftOut: leftOut.slice(0, namedPaths),
  }
}

async function countAheadBehind(git: Git, upstream: string): Promise<Pick<GitStatus, 'ahead' | 'behind'>> {
  const isKnown = (await commitOf(git, upstream)) !== undefined && (await commitOf(git, 'HEAD')) !== undefined
  if (!isKnown) return { ahead: null, behind: null }
  const counts = await git.run(['rev-list', '--left-right', '--count', `HEAD...${upstream}`])
  const [ahead = 0, behind = 0] = counts.trim().split(/\s+/u).map(Number)
  return { ahead, behind }
}

async function lastCommit(git: Git): Promise<GitStatus['lastCommit']> {
  if ((await commitOf(git, 'HEAD')) === undefined) return null
  const [id = '', at = '', message = ''] = (await git.run(['log', '-1', '--format=%H%x00%cI%x00%s'])).split(
    '\0',
  )
  return { id, at: new Date(at).toISOString(), message: message.trim() }
}

async function problemOf(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (!(error instanceof GitFault)) throw error
    return error.message
  }
}

type Body = z.infer<(typeof gitInit)['body']>
type Reply = GitOutcome & Changes & { dryRun: boolean; created: boolean }

/**
 * Makes the workspace a repository on the configured branch, with a `.gitignore`, a first commit and the
 * remote. An existing repository is kept, and so is a remote that has another address.
 */
async function initRepository(daemon: Daemon, { remoteUrl, dryRun }: Body): Promise<Reply> {
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
