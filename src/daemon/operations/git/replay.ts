import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ground } from '../../ground/ground.js'
import { type Git, GitFault, throwGitFault } from '../../platform/processes/git-program.js'
import { authorOf, commitOf, type Repository } from './repository.js'

type Deps = Pick<Ground, 'paths'>

/** Transcripts are append-only: lines added on both sides are kept. */
const attributes = 'memory/*/transcripts/transcript.jsonl merge=union\n'
/** Files generated from the database: in a conflict the local version wins. */
const generated = new Set(['MEMORY.md'])

/**
 * Rebases local commits onto the remote ones in a folder beside the workspace, so that no workspace file
 * changes meanwhile (operations.md 1.5).
 * @returns id of the resulting commit.
 * @throws GitFault that names the paths changed on both sides; the workspace is then unchanged.
 */
export async function replay(deps: Deps, repository: Repository, upstream: string): Promise<string> {
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
export async function isAncestor(git: Git, older: string, newer: string): Promise<boolean> {
  return (await git.ask(['merge-base', '--is-ancestor', older, newer])).code === 0
}

/** The commit of the remote branch as of the last fetch. */
export function upstreamOf({ git, settings }: Pick<Repository, 'git' | 'settings'>) {
  return commitOf(git, trackingRef(settings))
}

/** The ref with the last known commit of the remote branch. */
export function trackingRef({ remote, branch }: Repository['settings']): string {
  return `refs/remotes/${remote}/${branch}`
}
