import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../contract/ground/errors.js'
import type { BackupProgress, RestoreReply } from '../../../contract/operations/backup.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { isBackedUp, placeIn, walk } from './archive/scope.js'
import { aloneWithBackups } from './backup-work.js'
import type { Read } from './child-messages.js'
import { isKept, readPlan, removePlan, takeBack, writePlan } from './restore-files.js'
import { runChild } from './run-child.js'
import { innerKeyIn, secretsPath } from './secrets-in-backup.js'
import { archiveNamed, type NamedArchive, readThrough } from './verify-backup.js'

type Deps = Pick<Daemon, 'paths' | 'store' | 'configuration' | 'newId' | 'clock' | 'log'>

/**
 * Takes a backup out of its archive, opens and counts it, and notes that the next start of the daemon puts it in the
 * place of the workspace (operations.md 4.4). Until then nothing of the workspace is changed.
 * @throws AppError `confirm_required` without `confirm` or `dryRun`, `backup_invalid`, `insufficient_storage`, `not_found`.
 */
export async function restoreBackup(
  daemon: Deps,
  named: NamedArchive,
  { confirm, dryRun }: { confirm: boolean; dryRun: boolean },
): Promise<RestoreReply> {
  if (!confirm && !dryRun)
    throw new AppError(
      'confirm_required',
      'a restore replaces the workspace: send confirm: true, or dryRun: true to see what it would change',
    )
  const { id, file, sha256 } = await archiveNamed(daemon, named)
  const memoriesNow = await daemon.store.tables.memories.countAlive()
  const options = { id, file, sha256, memoriesBefore: memoriesNow }
  const read = dryRun
    ? requireWhole(await readThrough(daemon, { id, file }), sha256)
    : await aloneWithBackups(daemon, { what: 'restore', id }, tools =>
        prepare(daemon, { ...options, ...tools }),
      )
  if (!dryRun) daemon.log.info({ id }, 'a restore is prepared and waits for a restart')
  return {
    id,
    dryRun,
    restartRequired: !dryRun,
    createdAt: read.header.createdAt,
    version: read.header.program,
    memories: { now: memoriesNow, inBackup: read.memories },
    files: await compared(daemon, read),
    secretsKey: await keyCompared(daemon.paths, read),
  }
}

export interface Preparation {
  id: string
  file: string
  /** What the archive was when it was made, where that is known. */
  sha256: string | null
  memoriesBefore: number | null
  signal: AbortSignal
  onProgress(progress: BackupProgress): void
}

/** For the caller that holds the workspace. @throws AppError as above; nothing is left then. */
export async function prepare(
  { paths, clock }: { paths: WorkspacePaths; clock: () => Date },
  { id, file, sha256, memoriesBefore, signal, onProgress }: Preparation,
): Promise<Read> {
  await cancelRestore(paths)
  const incoming = `in-${randomUUID()}`
  const work = join(paths.restore, incoming)
  try {
    const read = requireWhole(
      await runChild({ type: 'read', file, work, take: 'all' }, { signal, onProgress }),
      sha256,
    )
    writePlan(paths, {
      id: id.slice(-100),
      kind: 'restore',
      preparedAt: clock().toISOString(),
      memories: read.memories,
      memoriesBefore,
      incoming,
      outgoing: `out-${randomUUID()}`,
      phase: 'prepared',
    })
    return read
  } catch (error) {
    await rm(work, { recursive: true, force: true })
    throw error
  }
}

/** A restore that is prepared will not happen, and one that was cut short is taken back. @returns whether there was one. */
export async function cancelRestore(paths: WorkspacePaths): Promise<boolean> {
  const plan = readPlan(paths)
  if (!plan) return false
  await takeBack(paths, plan)
  await removePlan(paths)
  // Of an undo what comes in is the only copy of what was there.
  if (plan.kind === 'restore' && !isKept(paths, plan.incoming))
    await rm(join(paths.restore, plan.incoming), { recursive: true, force: true })
  return true
}

function requireWhole(read: Read, sha256: string | null): Read {
  const problems = [
    ...read.problems,
    ...(sha256 !== null && sha256 !== read.sha256 ? ['its SHA-256 differs'] : []),
  ]
  if (problems.length === 0) return read
  throw new AppError('backup_invalid', `the archive is not taken: ${problems.slice(0, 5).join('; ')}`)
}

async function compared(daemon: Deps, { paths: inArchive }: Read): Promise<RestoreReply['files']> {
  const { files: now } = await walk(daemon.paths.root, isBackedUp)
  const [inBackup, here] = [new Set(inArchive), new Set(now)]
  const replaced = inArchive.filter(path => here.has(path)).length
  return {
    added: inArchive.length - replaced,
    replaced,
    movedAway: now.filter(path => !inBackup.has(path)).length,
  }
}

async function keyCompared(
  { root }: WorkspacePaths,
  { secretsKeyId }: Read,
): Promise<RestoreReply['secretsKey']> {
  if (secretsKeyId === null) return 'none'
  const text = await readFile(placeIn(root, secretsPath), 'utf8').catch(() => undefined)
  return innerKeyIn(text) === secretsKeyId ? 'same' : 'other'
}
