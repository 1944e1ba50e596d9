import { rm } from 'node:fs/promises'
import { AppError } from '../../../contract/ground/errors.js'
import type { VerifiedBackup } from '../../../contract/operations/backup.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { keyPlaceOf } from '../../secrets/store/key-status.js'
import { runBackupWork, workFolder } from './backup-work.js'
import { requireBackup } from './backups.js'
import type { ArchiveContents } from './child-messages.js'
import { runChild } from './run-child.js'
import { openingKeys } from './seals.js'

type Deps = Pick<Daemon, 'paths' | 'store' | 'configuration' | 'newId' | 'secrets'>

/** An archive named by id or by path. */
export type NamedArchive = { id: string } | { file: string }

/** A recovery code or a secret key of age, for an archive that is sealed for another workspace. */
export type GivenKey = { key?: string | undefined }

/** @throws AppError `not_found` */
export async function archiveNamed(
  deps: Pick<Daemon, 'paths' | 'configuration'>,
  named: NamedArchive,
): Promise<{ id: string; file: string; sha256: string | null }> {
  if ('id' in named) return requireBackup(deps, named.id)
  return { id: named.file, file: named.file, sha256: null }
}

/**
 * Reads a whole backup and checks its database (operations.md 4.3). Faults are part of the answer.
 * @throws AppError `backup_sealed` when no key opens it
 */
export async function verifyBackup(
  deps: Deps,
  named: NamedArchive,
  { key }: GivenKey = {},
): Promise<VerifiedBackup> {
  const { id, file, sha256 } = await archiveNamed(deps, named)
  const read = await readWholeArchive(deps, { id, file, key }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'backup_invalid') return error.message
    throw error
  })
  if (typeof read === 'string')
    return {
      ...{ id, ok: false, problems: [read], createdAt: null, version: null, memories: null },
      ...{ tables: {}, files: 0, bytes: 0 },
    }
  const problems = [
    ...read.problems,
    ...(sha256 !== null && read.sha256 !== sha256
      ? ['the archive was changed after the backup: its SHA-256 differs']
      : []),
  ]
  return {
    id,
    ok: problems.length === 0,
    problems,
    createdAt: read.header.createdAt,
    version: read.header.program,
    memories: read.memories,
    tables: read.tables,
    files: read.paths.length + 1,
    bytes: read.bytes,
  }
}

/** @throws AppError `backup_invalid`, `backup_sealed`, `insufficient_storage`, `not_found` without a file. */
export async function readWholeArchive(
  deps: Deps,
  { id, file, key }: { id: string; file: string } & GivenKey,
): Promise<ArchiveContents> {
  const work = workFolder(deps)
  const identities = await openingKeys(keyPlaceOf(deps), { file, key })
  return runBackupWork(deps, { what: 'verify', id }, async tools => {
    try {
      return await runChild({ type: 'read', file, work, take: 'database', identities }, tools)
    } finally {
      await rm(work, { recursive: true, force: true, maxRetries: 5 })
    }
  })
}
