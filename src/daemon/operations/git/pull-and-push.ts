import { lstat, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { clip } from '../../../lib/text/clip.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type Git, GitFault, refuse } from '../../platform/processes/git-program.js'
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

/** What never goes into git by us, and that no commit of others may bring, change or take away here (operations.md 1.5). */
const ofThisMachine = /^(?:\.daemon|\.secrets)(?:\/|$)|^memory\/[^/]*\.db/iu

interface Move {
  from: string
  to: string
}

/**
 * Whether the workspace can go from one commit to another and lose nothing: git itself writes over files that it is told
 * to ignore, and removes what somebody else took out of the repository.
 * @throws GitFault that names what stands in the way.
 */
async function assertFree({ git, root }: Pick<Repository, 'git' | 'root'>, move: Move): Promise<void> {
  const kept = (await changed(git, move)).filter(path => ofThisMachine.test(path))
  if (kept.length > 0)
    throw new GitFault(
      `commits of the remote bring, change or remove what belongs to one machine: ${clip(kept.join(', '), 300)}; nothing was changed. Take it out of the repository, in each workspace that has it there: git rm -r --cached PATH, git commit, then memory git sync`,
    )
  for (const path of await ignored(git, await changed(git, move, ['--diff-filter=A'])))
    if (await isInTheWay({ git, root }, path, move.to))
      throw new GitFault(
        `${path} is here, where git ignores it, and the remote has another one; nothing was changed. Move it away, then pull again`,
      )
}

async function changed(git: Git, { from, to }: Move, options: readonly string[] = []): Promise<string[]> {
  const names = await git.run(['diff', '--name-only', '--no-renames', ...options, '-z', from, to])
  return names.split('\0').filter(Boolean)
}

/** Those of some paths that git is told to ignore. */
async function ignored(git: Git, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return []
  const end = await git.ask(['check-ignore', '-z', '--stdin'], { input: paths.join('\0') })
  // 1 says that none is.
  return end.code > 1 ? refuse(['check-ignore'], end) : end.stdout.split('\0').filter(Boolean)
}

/** What is there and is not the same already, as a pull that was cut short leaves it. */
async function isInTheWay({ git, root }: { git: Git; root: string }, path: string, commit: string) {
  const file = join(root, path)
  const there = await lstat(file).catch((error: NodeJS.ErrnoException) => error)
  if (there instanceof Error) return there.code !== 'ENOENT'
  if (!there.isFile() && !there.isSymbolicLink()) return true
  const hash = ['hash-object', '--no-filters']
  const here = there.isFile()
    ? await git.run([...hash, '--', path])
    : await git.run([...hash, '--stdin'], { input: await readlink(file) })
  return here !== (await git.run(['rev-parse', '--verify', `${commit}:${path}`]))
}
