import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git } from '../../platform/processes/git-program.js'

/** Larger files are not committed, in bytes: git hosts reject them, and removing one from history is hard. */
const maxFileBytes = 5 * 1024 * 1024

/** Texts, data, images and fonts of skills; no programs, since a remote could change what agents run. */
const skillFile =
  /^skills\/(?:.*\/)?(?:[A-Z][A-Z_-]*|[^/]+\.(?:md|txt|json|jsonl|ya?ml|toml|csv|tsv|xml|xsd|css|png|jpe?g|gif|webp|pdf|ttf|otf|woff2?|docx|xlsx|pptx|tex|bib))$/u

/** Committed paths, relative to the workspace (operations.md 1.1). */
const committed: readonly RegExp[] = [
  /^agent\.yaml$/u,
  /^\.git(?:ignore|attributes)$/u,
  /\.md$/iu,
  skillFile,
  /^memory\/[^/]+\/transcripts\/transcript\.jsonl$/u,
]
/** Never committed: dot files and folders at any depth, and installed packages. */
const never = /(?:^|\/)(?:\.(?!git(?:ignore|attributes)$)[^/]*|node_modules)(?:\/|$)/u

/** @param path relative to the workspace, with slashes */
export function mayBeCommitted(path: string): boolean {
  return !never.test(path) && committed.some(pattern => pattern.test(path))
}

const ofSkillProgram = 'a sync takes no programs of skills; install the skill on each machine'

function isSkillProgram(path: string): boolean {
  return path.startsWith('skills/') && !never.test(path)
}

export interface Changes {
  /** Committable paths that differ from the last commit, in order. */
  files: string[]
  /** Paths that are too large or not plain files, and programs of skills. */
  leftOut: { path: string; reason: string }[]
}

/** Lists the changes since the last commit that we may commit. */
export async function findChanges(git: Git, root: string): Promise<Changes> {
  const found: Changes = { files: [], leftOut: [] }
  for (const path of await changedPaths(git)) {
    if (!mayBeCommitted(path)) {
      if (isSkillProgram(path)) found.leftOut.push({ path, reason: ofSkillProgram })
      continue
    }
    const reason = await whyLeftOut(join(root, path))
    if (reason === undefined) found.files.push(path)
    else found.leftOut.push({ path, reason })
  }
  return found
}

/** Paths that differ from the last commit: new files included, ignored ones not. */
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
  // A deleted file is a change, too.
  if (known === undefined) return undefined
  if (!known.isFile()) return 'it is not a plain file'
  return known.size > maxFileBytes ? `it is larger than ${maxFileBytes / 1024 / 1024} MiB` : undefined
}

/** `.gitignore` of a new repository, for people who run `git add` by hand. */
export const ignoreFile = `# Databases, indexes, models, secrets and working files of the daemon.
/.daemon/
/.secrets/
/memory/*.db*
node_modules/
`
