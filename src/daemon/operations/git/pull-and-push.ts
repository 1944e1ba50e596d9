import { lstat, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { clip } from '../../../lib/text/clip.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type Git, GitFault, throwGitFault } from '../../platform/processes/git-program.js'
import { mayBeCommitted } from './committable.js'
import { recordMoveStart } from './interrupted.js'
import { isAncestor, replay, trackingRef, upstreamOf } from './replay.js'
import { commitOf, type Repository, remoteAddress } from './repository.js'
import { waitingLines } from './waiting-settings.js'

type Deps = Pick<Daemon, 'paths' | 'clock' | 'capturing' | 'waitingSettings'>

/**
 * Fetches the remote branch and moves the workspace to it, with local commits on top (operations.md 1.5).
 * Files with uncommitted changes and ignored files are never overwritten.
 * Changed security settings wait for a person (operations.md 1.7).
 * @returns lines that describe the result.
 * @throws GitFault that names the obstacle; the workspace is then unchanged.
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
  if (await isAncestor(git, upstream, head)) return 'nothing new on the remote'
  const next = (await isAncestor(git, head, upstream)) ? upstream : await replay(deps, repository, upstream)
  await assertNothingOverwritten(repository, { from: head, to: next })
  await assertMayCome(git, { from: head, to: next })
  // Capturing pauses, because a transcript has one writer.
  await deps.waitingSettings.during(() =>
    deps.capturing(async () => {
      recordMoveStart(deps, { from: head, to: next })
      await git.run(['reset', '--quiet', '--keep', next])
    }),
  )
  const count = (await git.run(['rev-list', '--count', `${head}..${upstream}`])).trim()
  const pulled = `pulled ${count} ${count === '1' ? 'commit' : 'commits'} from ${remote}/${branch}`
  return [pulled, ...waitingLines(deps)].join('\n')
}

/**
 * Pushes the branch.
 * @returns a line that describes the result.
 * @throws GitFault with git's message, and what to do when the remote has other commits.
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
  // The remote may be configured without a fetch rule, so the tracking branch is updated here.
  await git.run(['update-ref', trackingRef(settings), head])
  return `pushed to ${remote}/${branch}`
}

/** @throws GitFault before the first commit. */
async function ownHead(git: Git): Promise<string> {
  const head = await commitOf(git, 'HEAD')
  if (head === undefined) throw new GitFault('no commits here yet; run: memory git sync')
  return head
}

/** True when a push failed because the remote has newer commits. */
export function isBehind({ message }: GitFault): boolean {
  return /\[rejected\]|non-fast-forward|fetch first|has commits that are not here/u.test(message)
}

/** Paths we never commit, and that no remote commit may add, change or delete here (operations.md 1.5). */
const ofThisMachine = /^(?:\.daemon|\.secrets)(?:\/|$)|^memory\/[^/]*\.db/iu

interface Move {
  from: string
  to: string
}

/**
 * Checks that moving the workspace between two commits loses nothing: git overwrites ignored files, and
 * deletes files that others removed from the repository.
 * @throws GitFault that names the obstacle.
 */
async function assertNothingOverwritten(
  { git, root }: Pick<Repository, 'git' | 'root'>,
  move: Move,
): Promise<void> {
  const kept = (await changed(git, move)).filter(path => ofThisMachine.test(path))
  if (kept.length > 0)
    throw new GitFault(
      `remote commits add, change or delete files of one machine: ${clip(kept.join(', '), 300)}; nothing was changed. Remove them from the repository in every workspace that tracks them: git rm -r --cached PATH, git commit, then memory git sync`,
    )
  for (const path of await ignored(git, await changed(git, move, ['--diff-filter=A'])))
    if (await isInTheWay({ git, root }, path, move.to))
      throw new GitFault(
        `${path} is ignored by git here, and the remote has a different one; nothing was changed. Move it away, then pull again`,
      )
}

/** Mode of plain files in git that are not executable. */
const plainMode = '100644'

/**
 * Checks that remote commits bring only files that a sync commits. Others could be programs that the daemon
 * or an agent runs, or links that lead out of the workspace. Their removal is allowed.
 * @throws GitFault that names the files.
 */
async function assertMayCome(git: Git, { from, to }: Move): Promise<void> {
  const fields = (await git.run(['diff', '--raw', '--no-renames', '--diff-filter=d', '-z', from, to])).split(
    '\0',
  )
  const refused: string[] = []
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [mode = '', path = ''] = [fields[index]?.split(' ')[1], fields[index + 1]]
    if (!mayBeCommitted(path)) refused.push(path)
    else if (mode === '100755') refused.push(`${path} (executable)`)
    else if (mode !== plainMode) refused.push(`${path} (no plain file)`)
  }
  if (refused.length === 0) return
  throw new GitFault(
    `remote commits bring files that a sync never commits: ${clip(refused.join(', '), 300)}; nothing was changed, since a remote must not bring programs or links. Remove them from the repository where they were committed: git rm -r --cached PATH (or git update-index --chmod=-x PATH), git commit, git push`,
  )
}

async function changed(git: Git, { from, to }: Move, options: readonly string[] = []): Promise<string[]> {
  const names = await git.run(['diff', '--name-only', '--no-renames', ...options, '-z', from, to])
  return names.split('\0').filter(Boolean)
}

/** The paths that git ignores. */
async function ignored(git: Git, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return []
  const end = await git.ask(['check-ignore', '-z', '--stdin'], { input: paths.join('\0') })
  // Exit code 1 means none is ignored.
  return end.code > 1 ? throwGitFault(['check-ignore'], end) : end.stdout.split('\0').filter(Boolean)
}

/** True when a different file exists at the path. An identical one may come from an interrupted pull. */
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
