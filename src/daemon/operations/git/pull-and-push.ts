import { lstat, readlink, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clip } from '../../../lib/text/clip.js'
import type { Ground } from '../../ground/ground.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type Git, GitFault, throwGitFault } from '../../platform/processes/git-program.js'
import { mayBeCommitted } from './committable.js'
import { recordMoveStart } from './interrupted.js'
import { authorOf, commitOf, type Repository, remoteAddress } from './repository.js'
import { waitingLines } from './waiting-settings.js'

type Deps = Pick<Daemon, 'paths' | 'clock' | 'capturing' | 'waitingSettings'>

/** Transcripts are append-only: lines added on both sides are kept. */
const attributes = 'memory/*/transcripts/transcript.jsonl merge=union\n'
/** Files generated from the database: in a conflict the local version wins. */
const generated = new Set(['MEMORY.md'])

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

type ReplayDeps = Pick<Ground, 'paths'>

/**
 * Rebases local commits onto the remote ones in a folder beside the workspace, so that no workspace file
 * changes meanwhile (operations.md 1.5).
 * @returns id of the resulting commit.
 * @throws GitFault that names the paths changed on both sides; the workspace is then unchanged.
 */
async function replay(deps: ReplayDeps, repository: Repository, upstream: string): Promise<string> {
  const { git } = repository
  const folder = join(deps.paths.daemonDir, 'git')
  const tree = join(folder, 'replay')
  const attributesFile = join(folder, 'attributes')
  await dropTree(git, tree)
  await writeFile(attributesFile, attributes, { mode: 0o600 })
  await git.run(['worktree', 'add', '--quiet', '--detach', tree, 'HEAD'])
  try {
    const options = [
      ...['-c', `core.attributesFile=${attributesFile}`, '-c', 'rerere.enabled=false'],
      ...(await authorOf(repository)),
    ]
    const isRelated = (await git.ask(['merge-base', 'HEAD', upstream])).code === 0
    const onto = isRelated ? [upstream] : ['--root', '--onto', upstream]
    await finishRebase(git, tree, { options, first: ['rebase', '--quiet', '--no-autostash', ...onto] })
    const { stdout } = await git.ask(['rev-parse', 'HEAD'], { cwd: tree })
    return stdout.trim()
  } finally {
    await dropTree(git, tree)
  }
}

/** Continues a rebase as long as only generated files conflict. */
async function finishRebase(
  git: Git,
  cwd: string,
  { options, first }: { options: readonly string[]; first: readonly string[] },
): Promise<void> {
  for (let args = first; ; args = ['rebase', '--continue']) {
    const end = await git.ask([...options, ...args], { cwd })
    if (end.code === 0) return
    const { stdout } = await git.ask(['diff', '--name-only', '--diff-filter=U', '-z'], { cwd })
    const paths = stdout.split('\0').filter(Boolean)
    if (paths.length === 0) throwGitFault(['rebase'], end)
    if (!(await keepLocalVersions(git, cwd, paths))) throw conflict(paths)
  }
}

/** @returns whether all conflicts could be resolved with the local version. */
async function keepLocalVersions(git: Git, cwd: string, paths: readonly string[]): Promise<boolean> {
  if (!paths.every(path => generated.has(path))) return false
  // In a rebase "theirs" is the local commit that is put on top.
  const kept = await git.ask(['checkout', '--theirs', '--', ...paths], { cwd })
  return kept.code === 0 && (await git.ask(['add', '--', ...paths], { cwd })).code === 0
}

function conflict(paths: readonly string[]): GitFault {
  return new GitFault(
    `changed both here and on the remote: ${paths.join(', ')}; nothing was changed, both versions are kept. To merge them by hand, in the folder of the workspace: git pull --rebase, fix the files that it names, git add them, git rebase --continue; then memory git sync`,
  )
}

async function dropTree(git: Git, tree: string): Promise<void> {
  await rm(tree, { recursive: true, force: true, maxRetries: 5 })
  await git.run(['worktree', 'prune'])
}

/** True when one commit is an ancestor of another, or the same. */
async function isAncestor(git: Git, older: string, newer: string): Promise<boolean> {
  return (await git.ask(['merge-base', '--is-ancestor', older, newer])).code === 0
}

/** The commit of the remote branch as of the last fetch. */
function upstreamOf({ git, settings }: Pick<Repository, 'git' | 'settings'>) {
  return commitOf(git, trackingRef(settings))
}

/** The ref with the last known commit of the remote branch. */
export function trackingRef({ remote, branch }: Repository['settings']): string {
  return `refs/remotes/${remote}/${branch}`
}
