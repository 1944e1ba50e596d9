import { join } from 'node:path'
import { AppError } from '../../../contract/ground/errors.js'
import type { BackupList, BackupProgress } from '../../../contract/operations/backup.js'
import { remedyOf } from '../../../lib/files/storage-fault.js'
import { runExclusively } from '../../agents/programs/runs.js'
import { createDaemonState, type Daemon } from '../../platform/daemon/daemon.js'

/** The running backup work of a daemon, and the error of the last backup. */
export interface BackupState {
  running: BackupList['running']
  lastError: string | null
}

const kept = createDaemonState<BackupState>()

export function backupStateOf(daemon: Pick<Daemon, 'store'>): BackupState {
  return kept.ifKept(daemon) ?? kept.keep(daemon, { running: null, lastError: null })
}

const busy = 'another backup, check or restore is running; memory backup list shows it'

/** @throws AppError `conflict` while a backup, check or restore runs. */
export function requireIdle(daemon: Pick<Daemon, 'store'>): void {
  if (backupStateOf(daemon).running) throw new AppError('conflict', busy)
}

/**
 * Runs backup work exclusively and publishes its progress in the backup state.
 * @throws AppError `conflict` while other backup work runs.
 */
export function runBackupWork<T>(
  daemon: Pick<Daemon, 'paths' | 'store'>,
  { what, id }: { what: NonNullable<BackupState['running']>['what']; id: string | null },
  work: (tools: { signal: AbortSignal; onProgress: (progress: BackupProgress) => void }) => Promise<T>,
): Promise<T> {
  const state = backupStateOf(daemon)
  return runExclusively(daemon, { key: 'backup', busy }, async signal => {
    state.running = { what, id, phase: what === 'create' ? 'database' : 'files', done: 0, total: 0 }
    try {
      return await work({
        signal,
        onProgress: progress => {
          state.running = { what, id, ...progress }
        },
      })
    } finally {
      state.running = null
    }
  })
}

/** A new folder for one piece of work below `.daemon`; the next start removes what a kill leaves there. */
export function workFolder({ paths, newId }: Pick<Daemon, 'paths' | 'newId'>): string {
  return join(paths.backupWork, newId())
}

/**
 * @throws AppError `not_implemented` without a file, `insufficient_storage` when only this daemon can open
 * it: the copy is made by a child process.
 */
export function requireSharedDatabase({ store, room }: Pick<Daemon, 'store' | 'room'>): void {
  if (!store.file)
    throw new AppError(
      'not_implemented',
      'the memories are on a database server: back them up there, with pg_dump -n and the name of storage.schema',
    )
  const problem =
    room.problem() ?? (store.file?.isAlone() ? 'the disk was full when the daemon started' : undefined)
  if (problem !== undefined)
    throw new AppError('insufficient_storage', `${problem}: no backup can be made; ${remedyOf(problem)}`)
}
