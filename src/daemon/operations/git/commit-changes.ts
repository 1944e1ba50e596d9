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
  // By exact paths: one that is gone, and that somebody staged as gone already, is no pathspec of `git add` any more.
  await git.run(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], {
    input: files.map(path => `${path}\0`).join(''),
  })
  const staged = new Set(
    (await git.run(['diff', '--cached', '--name-only', '--no-renames', '-z'])).split('\0'),
  )
  const changed = files.filter(path => staged.has(path))
  if (changed.length === 0) return undefined
  const what = changed.length === 1 ? `${changed[0]}` : `${changed.length} files`
  const author = await authorOf(repository)
  const commit = ['commit', '--quiet', '--no-verify', '-m', `Update ${what}`, '--only'] as const
  const byList = ['--pathspec-from-file=-', '--pathspec-file-nul'] as const
  await git.run(['--literal-pathspecs', ...author, ...commit, ...byList], { input: changed.join('\0') })
  return `committed ${what}`
}

/** Options that name who commits: nothing where git knows, ourselves where it does not. */
export async function authorOf({ git }: Pick<Repository, 'git'>): Promise<readonly string[]> {
  const { code } = await git.ask(['config', '--get', 'user.email'])
  return code === 0 ? [] : own
}
