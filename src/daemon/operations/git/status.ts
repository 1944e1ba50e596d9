import type { GitStatus } from '../../../contract/operations/git.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type Git, GitFault, withoutCredentials } from '../../platform/processes/git-program.js'
import { findChanges } from './committable.js'
import { gitOf } from './git-of-daemon.js'
import { trackingRef } from './pull-and-push.js'
import { commitOf, isRepository, openRepository, remoteAddress } from './repository.js'
import { maskedWaiting } from './waiting-settings.js'

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

/** Uncommitted, unpushed and unpulled changes, as of the last fetch: the remote is not contacted. */
export async function gitStatusOf(daemon: Daemon): Promise<GitStatus> {
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
