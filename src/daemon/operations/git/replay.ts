import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ground } from '../../ground/ground.js'
import { type Git, GitFault, refuse } from '../../platform/processes/git-program.js'
import { authorOf, commitOf, type Repository } from './repository.js'

type Deps = Pick<Ground, 'paths'>

/** Transcripts only grow at their end: what both sides added stays, line by line. */
const attributes = 'memory/*/transcripts/transcript.jsonl merge=union\n'
/** What the daemon writes anew from its database: of two versions that of this machine goes on. */
const generated = new Set(['MEMORY.md'])

/**
 * Puts own commits on top of those of the remote, in a folder beside the workspace, whose files nobody sees change
 * (operations.md 1.5).
 * @returns id of the last commit that came of it.
 * @throws GitFault that names the paths that both sides changed; nothing is changed then.
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
    await settle(git, tree, { options, first: ['rebase', '--quiet', '--no-autostash', ...onto] })
    const { stdout } = await git.ask(['rev-parse', 'HEAD'], { cwd: tree })
    return stdout.trim()
  } finally {
    await dropTree(git, tree)
  }
}

/** Goes on with a rebase for as long as only generated files stand in its way. */
async function settle(
  git: Git,
  cwd: string,
  { options, first }: { options: readonly string[]; first: readonly string[] },
): Promise<void> {
  for (let args = first; ; args = ['rebase', '--continue']) {
    const end = await git.ask([...options, ...args], { cwd })
    if (end.code === 0) return
    const { stdout } = await git.ask(['diff', '--name-only', '--diff-filter=U', '-z'], { cwd })
    const paths = stdout.split('\0').filter(Boolean)
    if (paths.length === 0) refuse(['rebase'], end)
    if (!(await keepOwn(git, cwd, paths))) throw conflict(paths)
  }
}

/** @returns whether all of these could be kept as they are here. */
async function keepOwn(git: Git, cwd: string, paths: readonly string[]): Promise<boolean> {
  if (!paths.every(path => generated.has(path))) return false
  // In a rebase the commit that is put on top, which is ours, is "theirs".
  const kept = await git.ask(['checkout', '--theirs', '--', ...paths], { cwd })
  return kept.code === 0 && (await git.ask(['add', '--', ...paths], { cwd })).code === 0
}

function conflict(paths: readonly string[]): GitFault {
  return new GitFault(
    `here and on the remote changed: ${paths.join(', ')}; nothing was changed, both versions are kept. To merge them by hand, in the folder of the workspace: git pull --rebase, mend the files that it names, git add them, git rebase --continue; then memory git sync`,
  )
}

async function dropTree(git: Git, tree: string): Promise<void> {
  await rm(tree, { recursive: true, force: true })
  await git.run(['worktree', 'prune'])
}

/** Whether one commit is among the ancestors of another, or the same. */
export async function isWithin(git: Git, older: string, newer: string): Promise<boolean> {
  return (await git.ask(['merge-base', '--is-ancestor', older, newer])).code === 0
}

/** What is known of the branch on the remote, as of the last fetch. */
export function upstreamOf({ git, settings }: Pick<Repository, 'git' | 'settings'>) {
  return commitOf(git, trackingRef(settings))
}

/** Where git keeps what it knows of the branch of a remote. */
export function trackingRef({ remote, branch }: Repository['settings']): string {
  return `refs/remotes/${remote}/${branch}`
}
