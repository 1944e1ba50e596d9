import type { Daemon } from '../../platform/daemon/daemon.js'
import { type Git, GitFault } from '../../platform/processes/git-program.js'
import { assertFree } from './free-way.js'
import { noteUnderWay } from './interrupted.js'
import { isWithin, replay, trackingRef, upstreamOf } from './replay.js'
import { commitOf, type Repository, remoteAddress } from './repository.js'

type Deps = Pick<Daemon, 'paths' | 'clock' | 'capturing'>

/**
 * Fetches the branch of the remote and takes the workspace to it, with own commits on top (operations.md 1.5). Files
 * with changes that are not committed, and those that git leaves out, are never written over.
 * @returns a line that says what came.
 * @throws GitFault that names what stands in the way; nothing is changed then.
 */
export async function pullChanges(deps: Deps, repository: Repository): Promise<string> {
  const { git, settings } = repository
  const { remote, branch } = settings
  await remoteAddress(repository)
  const source = `+refs/heads/${branch}:${trackingRef(settings)}`
  try {
    await git.call(['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--', remote, source])
  } catch (error) {
    if (error instanceof GitFault && /couldn't find remote ref/u.test(error.message))
      return `${remote} has no branch ${branch} yet`
    throw error
  }
  const upstream = await upstreamOf(repository)
  if (upstream === undefined) return `${remote} has no branch ${branch} yet`
  const head = await ownHead(git)
  if (await isWithin(git, upstream, head)) return 'nothing new on the remote'
  const next = (await isWithin(git, head, upstream)) ? upstream : await replay(deps, repository, upstream)
  await assertFree(repository, { from: head, to: next })
  // A transcript has one writer.
  await deps.capturing(async () => {
    noteUnderWay(deps, { from: head, to: next })
    await git.run(['reset', '--quiet', '--keep', next])
  })
  const count = (await git.run(['rev-list', '--count', `${head}..${upstream}`])).trim()
  return `pulled ${count} ${count === '1' ? 'commit' : 'commits'} from ${remote}/${branch}`
}

/**
 * Pushes the branch.
 * @returns a line that says what went.
 * @throws GitFault with the words of git, and what to do where the remote has other commits.
 */
export async function pushChanges({ git, settings }: Repository): Promise<string> {
  const { remote, branch } = settings
  await remoteAddress({ git, settings })
  const head = await ownHead(git)
  if ((await upstreamOf({ git, settings })) === head) return 'nothing to push'
  try {
    await git.call(['push', '--quiet', '--no-verify', '--', remote, `HEAD:refs/heads/${branch}`])
  } catch (error) {
    if (error instanceof GitFault && isBehind(error))
      throw new GitFault(`${remote}/${branch} has commits that are not here; run: memory git sync`)
    throw error
  }
  // The remote may have been named without saying which of its branches are followed.
  await git.run(['update-ref', trackingRef(settings), head])
  return `pushed to ${remote}/${branch}`
}

/** @throws GitFault before the first commit. */
async function ownHead(git: Git): Promise<string> {
  const head = await commitOf(git, 'HEAD')
  if (head === undefined) throw new GitFault('nothing is committed here yet; run: memory git sync')
  return head
}

/** Whether a push failed since somebody else had pushed. */
export function isBehind({ message }: GitFault): boolean {
  return /\[rejected\]|non-fast-forward|fetch first|has commits that are not here/u.test(message)
}
