import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../contract/ground/errors.js'
import type { BackupProgress, RestoreReply } from '../../../contract/operations/backup.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { keyPlaceOf } from '../../secrets/store/key-status.js'
import { isOn, readConfig } from '../sync/exchange/config.js'
import { innerKeyIn, isBackedUp, pathIn, secretsPath, walk } from './archive/scope.js'
import { runBackupWork } from './backup-work.js'
import type { ArchiveContents } from './child-messages.js'
import { hasKeptFiles, readPlan, removePlan, rollBackRestore, writePlan } from './restore-files.js'
import { runChild } from './run-child.js'
import { openingKeys } from './seals.js'
import { archiveNamed, type GivenKey, type NamedArchive, readWholeArchive } from './verify-backup.js'

type Deps = Pick<Daemon, 'paths' | 'store' | 'configuration' | 'newId' | 'clock' | 'log' | 'secrets'>

/**
 * Extracts a backup, checks its database, and plans that the next daemon start replaces the workspace with it
 * (operations.md 4.4). Until then the workspace is unchanged.
 * @throws AppError `confirm_required` without `confirm` or `dryRun`, `backup_invalid`, `backup_sealed`,
 * `insufficient_storage`, `not_found`.
 */
export async function restoreBackup(
  daemon: Deps,
  named: NamedArchive,
  { confirm, dryRun, key }: { confirm: boolean; dryRun: boolean } & GivenKey,
): Promise<RestoreReply> {
  if (!confirm && !dryRun)
    throw new AppError(
      'confirm_required',
      'a restore replaces the workspace: send confirm: true, or dryRun: true for a preview',
    )
  const { id, file, sha256 } = await archiveNamed(daemon, named)
  const memoriesNow = await daemon.store.tables.memories.countAlive()
  const identities = await openingKeys(keyPlaceOf(daemon), { file, key })
  const options = { id, file, sha256, memoriesBefore: memoriesNow, identities }
  const read = dryRun
    ? requireWhole(await readWholeArchive(daemon, { id, file, key }), sha256)
    : await runBackupWork(daemon, { what: 'restore', id }, tools => prepare(daemon, { ...options, ...tools }))
  if (!dryRun) daemon.log.info({ id }, 'restore prepared; the next start applies it')
  return {
    id,
    dryRun,
    restartRequired: !dryRun,
    createdAt: read.header.createdAt,
    version: read.header.program,
    memories: { now: memoriesNow, inBackup: read.memories },
    files: await compareFiles(daemon, read),
    secretsKey: await compareSecretsKey(daemon.paths, read),
    synced: isOn(await readConfig(daemon.store.tables)),
  }
}

export interface Preparation {
  id: string
  file: string
  /** Checksum noted when the archive was made, if known. */
  sha256: string | null
  memoriesBefore: number | null
  /** Secret keys of age for a sealed archive. */
  identities: readonly string[]
  signal: AbortSignal
  onProgress(progress: BackupProgress): void
}

/**
 * Prepares a restore; the caller holds the workspace lock. @throws AppError as above, leaving nothing behind.
 */
export async function prepare(
  { paths, clock }: { paths: WorkspacePaths; clock: () => Date },
  { id, file, sha256, memoriesBefore, identities, signal, onProgress }: Preparation,
): Promise<ArchiveContents> {
  await cancelRestore(paths)
  const incoming = `in-${randomUUID()}`
  const work = join(paths.restore, incoming)
  try {
    const read = requireWhole(
      await runChild({ type: 'read', file, work, take: 'all', identities }, { signal, onProgress }),
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
    await rm(work, { recursive: true, force: true, maxRetries: 5 })
    throw error
  }
}

/** Cancels a prepared restore and rolls back an interrupted one. @returns whether there was one. */
export async function cancelRestore(paths: WorkspacePaths): Promise<boolean> {
  const plan = readPlan(paths)
  if (!plan) return false
  await rollBackRestore(paths, plan)
  await removePlan(paths)
  // When a restore is undone, the incoming folder is the only copy of the previous workspace.
  if (plan.kind === 'restore' && !hasKeptFiles(paths, plan.incoming))
    await rm(join(paths.restore, plan.incoming), { recursive: true, force: true, maxRetries: 5 })
  return true
}

function requireWhole(read: ArchiveContents, sha256: string | null): ArchiveContents {
  const problems = [
    ...read.problems,
    ...(sha256 !== null && sha256 !== read.sha256 ? ['its SHA-256 differs'] : []),
  ]
  if (problems.length === 0) return read
  throw new AppError('backup_invalid', `the archive cannot be used: ${problems.slice(0, 5).join('; ')}`)
}

async function compareFiles(
  daemon: Deps,
  { paths: inArchive }: ArchiveContents,
): Promise<RestoreReply['files']> {
  const { files: now } = await walk(daemon.paths.root, isBackedUp)
  const [inBackup, here] = [new Set(inArchive), new Set(now)]
  const replaced = inArchive.filter(path => here.has(path)).length
  return {
    added: inArchive.length - replaced,
    replaced,
    movedAway: now.filter(path => !inBackup.has(path)).length,
  }
}

async function compareSecretsKey(
  { root }: WorkspacePaths,
  { secretsKeyId }: ArchiveContents,
): Promise<RestoreReply['secretsKey']> {
  if (secretsKeyId === null) return 'none'
  const text = await readFile(pathIn(root, secretsPath), 'utf8').catch(() => undefined)
  return innerKeyIn(text) === secretsKeyId ? 'same' : 'other'
}
