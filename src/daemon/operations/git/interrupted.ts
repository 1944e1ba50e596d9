import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { replaceFile } from '../../../lib/files/replace-file.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import type { Ground } from '../../ground/ground.js'
import { GitFault } from '../../platform/processes/git-program.js'
import type { Repository } from './repository.js'

type Deps = Pick<Ground, 'paths' | 'clock' | 'waitingSettings'>

/**
 * Record of a running git action; the file exists only during the action or after an interruption
 * (operations.md 1.6).
 */
const note = z.object({
  startedAt: z.string(),
  /** The commits between which workspace files were being changed. */
  move: z.object({ from: z.string(), to: z.string() }).optional(),
})
type Move = NonNullable<z.infer<typeof note>['move']>

const fileOf = ({ paths }: Pick<Ground, 'paths'>): string => join(paths.daemonDir, 'git', 'under-way.json')

/** Records that git is about to change the repository. @param move the commits before and after */
export function recordMoveStart(deps: Pick<Deps, 'paths' | 'clock'>, move?: Move): void {
  replaceFile(fileOf(deps), JSON.stringify({ startedAt: deps.clock().toISOString(), move }), 0o600)
}

/**
 * Runs work that changes the repository, after finishing an interrupted earlier one. If this work is
 * interrupted by a kill or a full disk, the next call finishes it.
 */
export async function runRecoverably(
  deps: Deps,
  repository: Repository,
  work: () => Promise<void>,
): Promise<void> {
  await finishInterrupted(deps, repository)
  recordMoveStart(deps)
  try {
    await work()
  } catch (error) {
    if (!(error instanceof GitFault && error.isCutShort)) await forgetUnderWay(deps)
    throw error
  }
  await forgetUnderWay(deps)
}

async function forgetUnderWay(deps: Pick<Ground, 'paths'>): Promise<void> {
  await rm(fileOf(deps), { force: true, maxRetries: 5 })
}

/**
 * Removes our leftover git locks and completes half-written files. Locks older than our action belong to
 * others and stay.
 */
async function finishInterrupted(deps: Deps, repository: Repository): Promise<void> {
  const text = await readFile(fileOf(deps), 'utf8').catch(() => undefined)
  if (text === undefined) return
  const known = note.safeParse(jsonOf(text)).data
  if (known) {
    await removeLocks(repository, Date.parse(known.startedAt))
    const { move } = known
    if (move) await deps.waitingSettings.during(() => completeFiles(repository, move))
  }
  await forgetUnderWay(deps)
}

/** Tolerance for file systems with coarse timestamps. */
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
    if (known && known.mtimeMs >= since - coarseMs) await rm(lock, { force: true, maxRetries: 5 })
  }
}

/** Completes files that are missing or truncated. */
async function completeFiles({ git, root }: Repository, { from, to }: Move): Promise<void> {
  const changed = await git.ask(['diff', '--name-only', '--no-renames', '--diff-filter=d', '-z', from, to])
  for (const path of changed.stdout.split('\0').filter(Boolean)) {
    const { bytes: whole } = await git.ask(['cat-file', 'blob', `${to}:${path}`])
    const there = await readFile(join(root, path)).catch(() => undefined)
    if (there === undefined || isTruncated(there, whole)) replaceFile(join(root, path), whole, 0o600)
  }
}

function isTruncated(there: Buffer, whole: Buffer): boolean {
  return there.length < whole.length && whole.subarray(0, there.length).equals(there)
}
