import { randomBytes } from 'node:crypto'
import { mkdir, rm, stat, statfs } from 'node:fs/promises'
import { AppError } from '../../../contract/ground/errors.js'
import type { Backup, BackupNote } from '../../../contract/operations/backup.js'
import { renamePatiently } from '../../../lib/files/patient-rename.js'
import { storageFault } from '../../../lib/files/storage-fault.js'
import { syncFolder } from '../../../store/files/line-file.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { backupStateOf, requireSharedDatabase, runBackupWork, workFolder } from './backup-work.js'
import {
  archiveOf,
  backupsIn,
  folderOf,
  noteBackup,
  partEnding,
  removeBackup,
  requireBackup,
} from './backups.js'
import { runChild } from './run-child.js'
import { backupRecipients } from './seals.js'

type Deps = Pick<
  Daemon,
  'paths' | 'store' | 'room' | 'clock' | 'configuration' | 'newId' | 'version' | 'log' | 'secrets'
>

/** Free space that must remain after the copy of the database and the archive. */
const spareBytes = 64 * 1024 * 1024

/** A name with the time, and random characters that distinguish backups of the same second. */
export function newBackupId(now: Date, kind: Backup['kind']): string {
  const [date = '', time = ''] = now.toISOString().replace(/[-:]/gu, '').split('T')
  const word = kind === 'scheduled' ? 'daily' : 'backup'
  return `${word}-${date}-${time.slice(0, 6)}-${randomBytes(3).toString('hex')}`
}

/**
 * Makes a backup while the daemon works (operations.md 4.1): the archive gets its name only once it is
 * complete and on the disk. A scheduled backup deletes the oldest scheduled ones, unless the database had a
 * fault.
 * @throws AppError `insufficient_storage`, `conflict` while other backup work runs, `backup_failed`.
 */
export async function createBackup(
  daemon: Deps,
  { id, kind }: { id: string; kind: Backup['kind'] },
): Promise<Backup> {
  const state = backupStateOf(daemon)
  try {
    const made = await runBackupWork(daemon, { what: 'create', id }, tools =>
      make(daemon, { id, kind, ...tools }),
    )
    state.lastError = null
    if (kind === 'scheduled' && made.problems.length === 0) await removeOldest(daemon)
    daemon.log.info({ id, bytes: made.bytes, durationMs: made.durationMs }, 'backup created')
    return made
  } catch (error) {
    const isBusy = error instanceof AppError && error.code === 'conflict'
    if (!isBusy) state.lastError = (error as Error).message
    throw error
  }
}

type Tools = Parameters<Parameters<typeof runBackupWork>[2]>[0] & { id: string; kind: Backup['kind'] }

async function make(daemon: Deps, { id, kind, signal, onProgress }: Tools): Promise<Backup> {
  requireSharedDatabase(daemon)
  const startedAt = performance.now()
  const folder = folderOf(daemon)
  const work = workFolder(daemon)
  const recipients = await backupRecipients(daemon)
  const sealed = recipients.length > 0
  const file = archiveOf(daemon, id, { sealed })
  const part = file + partEnding
  const createdAt = daemon.clock().toISOString()
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await requireRoom(daemon, folder)
    const header = {
      format: 'memory-service-backup',
      version: 1,
      id,
      kind,
      createdAt,
      program: daemon.version,
    } as const
    const { root, database } = daemon.paths
    const task = { type: 'create', header, root, database, work, file: part, recipients } as const
    const { problems, ...made } = await runChild(task, { signal, onProgress })
    await renamePatiently(part, file)
    await syncFolder(folder)
    const note: BackupNote = {
      id,
      kind,
      createdAt,
      version: daemon.version,
      problems,
      sealed,
      durationMs: Math.round(performance.now() - startedAt),
      ...made,
    }
    noteBackup(daemon, note)
    return await requireBackup(daemon, id)
  } catch (error) {
    throw storageFault(error)
      ? new AppError(
          'insufficient_storage',
          `${storageFault(error)}: no backup was made; free space in ${folder}`,
        )
      : error
  } finally {
    await rm(part, { force: true, maxRetries: 5 })
    await rm(work, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** @throws AppError `insufficient_storage` when the copy of the database and its archive would not fit. */
async function requireRoom({ paths }: Deps, folder: string): Promise<void> {
  const { size } = await stat(paths.database)
  const needed = { [paths.daemonDir]: size, [folder]: size }
  for (const [place, bytes] of Object.entries(needed)) {
    const { bavail, bsize } = await statfs(place)
    if (bavail * bsize < bytes + spareBytes)
      throw new AppError(
        'insufficient_storage',
        `the disk of ${place} has too little space for a backup; free some, or set backup.folder`,
      )
  }
}

/** Deletes scheduled backups beyond the configured number; manual ones are left to their owner. */
async function removeOldest(deps: Pick<Daemon, 'paths' | 'configuration'>): Promise<void> {
  const { keep } = deps.configuration().settings.backup
  const scheduled = (await backupsIn(deps)).filter(({ kind }) => kind === 'scheduled')
  for (const { id } of scheduled.slice(keep)) await removeBackup(deps, id)
}
