import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git } from '../../platform/processes/git-program.js'

/** A larger file is not committed, in bytes: hosts of git refuse them, and nothing takes one out again. */
const maxFileBytes = 5 * 1024 * 1024

/** What is committed, as paths from the workspace (operations.md 1.1). */
const committed: readonly RegExp[] = [
  /^agent\.yaml$/u,
  /^\.git(?:ignore|attributes)$/u,
  /\.md$/iu,
  /^skills\//u,
  /^memory\/[^/]+\/transcripts\/transcript\.jsonl$/u,
]
/** What never is, wherever it lies: folders and files that begin with a dot, and what others installed. */
const never = /(?:^|\/)(?:\.(?!git(?:ignore|attributes)$)[^/]*|node_modules)(?:\/|$)/u

/** Whether a path of the workspace may be committed at all. @param path with slashes. */
export function mayBeCommitted(path: string): boolean {
  return !never.test(path) && committed.some(pattern => pattern.test(path))
}

export interface Changes {
  /** Paths that differ from the last commit and may be committed, in order. */
  files: string[]
  /** Paths that would be, if they were not too large or no plain files. */
  leftOut: { path: string; reason: string }[]
}

/** What has changed since the last commit, ours to commit or not. */
export async function findChanges(git: Git, root: string): Promise<Changes> {
  const found: Changes = { files: [], leftOut: [] }
  for (const path of await changedPaths(git)) {
    if (!mayBeCommitted(path)) continue
    const reason = await whyLeftOut(join(root, path))
    if (reason === undefined) found.files.push(path)
    else found.leftOut.push({ path, reason })
  }
  return found
}

/** Paths of everything that differs from the last commit, new files included, those that are ignored not. */
async function changedPaths(git: Git): Promise<string[]> {
  const status = await git.run([
    'status',
    '--porcelain=v1',
    '-z',
    '--untracked-files=all',
    '--no-renames',
    '--ignore-submodules=all',
  ])
  return status
    .split('\0')
    .filter(entry => entry.length > 3)
    .map(entry => entry.slice(3))
    .sort()
}

async function whyLeftOut(file: string): Promise<string | undefined> {
  const known = await lstat(file).catch(() => undefined)
  // A file that is gone is a change like any other.
  if (known === undefined) return undefined
  if (!known.isFile()) return 'it is no plain file'
  return known.size > maxFileBytes ? `it is larger than ${maxFileBytes / 1024 / 1024} MiB` : undefined
}

/** What a new repository is told to leave alone, for whoever runs `git add` by hand. */
export const ignoreFile = `# Databases, indexes, models, secrets and what the daemon works with.
/.daemon/
/.secrets/
/memory/*.db*
node_modules/
`
