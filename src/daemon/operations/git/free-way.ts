import { lstat, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { clip } from '../../../lib/text/clip.js'
import { type Git, GitFault, refuse } from '../../platform/processes/git-program.js'
import type { Repository } from './repository.js'

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
export async function assertFree({ git, root }: Pick<Repository, 'git' | 'root'>, move: Move): Promise<void> {
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
