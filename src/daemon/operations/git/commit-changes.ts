import { findChanges } from './committable.js'
import type { Repository } from './repository.js'

/** Who commits, where git knows nobody. */
const own = ['-c', 'user.name=memory-service', '-c', 'user.email=memory-service@localhost'] as const

/**
 * Commits what has changed and may be committed; what somebody staged beside it stays staged.
 * @returns a line that says what was committed; undefined when there was nothing.
 * @throws GitFault
 */
export async function commitChanges(repository: Repository): Promise<string | undefined> {
  const { git, root } = repository
  const { files } = await findChanges(git, root)
  if (files.length === 0) return undefined
  const input = files.join('\0')
  const byList = ['--pathspec-from-file=-', '--pathspec-file-nul'] as const
  const literal = ['--literal-pathspecs'] as const
  await git.run([...literal, 'add', '--all', ...byList], { input })
  const message = files.length === 1 ? `Update ${files[0]}` : `Update ${files.length} files`
  const author = await authorOf(repository)
  await git.run(
    [...literal, ...author, 'commit', '--quiet', '--no-verify', '-m', message, '--only', ...byList],
    {
      input,
    },
  )
  return `committed ${files.length === 1 ? files[0] : `${files.length} files`}`
}

/** Options that name who commits: nothing where git knows, ourselves where it does not. */
export async function authorOf({ git }: Pick<Repository, 'git'>): Promise<readonly string[]> {
  const { code } = await git.ask(['config', '--get', 'user.email'])
  return code === 0 ? [] : own
}
