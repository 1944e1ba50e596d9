import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { replaceFile } from '../../../lib/files/replace-file.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import type { Ground } from '../../ground/ground.js'
import { GitFault } from '../../platform/processes/git-program.js'
import type { Repository } from './repository.js'

type Deps = Pick<Ground, 'paths' | 'clock'>

/** What was under way; the file is there only while it is, or after it was cut short (operations.md 1.6). */
const note = z.object({
  startedAt: z.string(),
  /** The commits between which files of the workspace were being changed. */
  move: z.object({ from: z.string(), to: z.string() }).optional(),
})
type Move = NonNullable<z.infer<typeof note>['move']>

const fileOf = ({ paths }: Pick<Ground, 'paths'>): string => join(paths.daemonDir, 'git', 'under-way.json')

/** Writes down that git is about to change the repository. @param move the commits that files are taken from and to. */
export function noteUnderWay(deps: Deps, move?: Move): void {
  replaceFile(fileOf(deps), JSON.stringify({ startedAt: deps.clock().toISOString(), move }), 0o600)
}

/**
 * Does something that changes the repository, once what was cut short before is finished. If it is cut short itself, by a
 * kill or by a disk that is full, the next one finishes it.
 */
export async function finishable(
  deps: Deps,
  repository: Repository,
  work: () => Promise<void>,
): Promise<void> {
  await finishInterrupted(deps, repository)
  noteUnderWay(deps)
  try {
    await work()
  } catch (error) {
    if (!(error instanceof GitFault && error.isCutShort)) await forgetUnderWay(deps)
    throw error
  }
  await forgetUnderWay(deps)
}

async function forgetUnderWay(deps: Pick<Ground, 'paths'>): Promise<void> {
  await rm(fileOf(deps), { force: true })
}

/**
 * Our own locks of git go, and files that were half written become whole. Nobody else's lock is touched: one is older
 * than what we had begun.
 */
async function finishInterrupted(deps: Deps, repository: Repository): Promise<void> {
  const text = await readFile(fileOf(deps), 'utf8').catch(() => undefined)
  if (text === undefined) return
  const known = note.safeParse(jsonOf(text)).data
  if (known) {
    await removeLocks(repository, Date.parse(known.startedAt))
    if (known.move) await completeFiles(repository, known.move)
  }
  await forgetUnderWay(deps)
}

/** Clocks of file systems are coarser than ours, in milliseconds. */
const coarseMs = 2000

async function removeLocks({ gitDir, settings }: Repository, since: number): Promise<void> {
  const { remote, branch } = settings
  const locks = [
    'index',
    'HEAD',
    'config',
    'packed-refs',
    `refs/heads/${branch}`,
    `refs/remotes/${remote}/${branch}`,
  ]
  for (const name of locks) {
    const lock = join(gitDir, `${name}.lock`)
    const known = await stat(lock).catch(() => undefined)
    if (known && known.mtimeMs >= since - coarseMs) await rm(lock, { force: true })
  }
}

/** Files that are missing or end too early get the content that they were about to get. */
async function completeFiles({ git, root }: Repository, { from, to }: Move): Promise<void> {
  const changed = await git.ask(['diff', '--name-only', '--no-renames', '--diff-filter=d', '-z', from, to])
  for (const path of changed.stdout.split('\0').filter(Boolean)) {
    const { bytes: whole } = await git.ask(['cat-file', 'blob', `${to}:${path}`])
    const there = await readFile(join(root, path)).catch(() => undefined)
    if (there === undefined || isCut(there, whole)) replaceFile(join(root, path), whole, 0o600)
  }
}

function isCut(there: Buffer, whole: Buffer): boolean {
  return there.length < whole.length && whole.subarray(0, there.length).equals(there)
}
