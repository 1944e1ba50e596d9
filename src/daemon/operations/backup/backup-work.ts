import { join } from 'node:path'
import { AppError } from '../../../contract/ground/errors.js'
import type { BackupList, BackupProgress } from '../../../contract/operations/backup.js'
import { remedyOf } from '../../../lib/files/storage-fault.js'
import { runAlone } from '../../agents/programs/open-runs.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { keptByDaemon } from '../../platform/daemon/kept-by-daemon.js'

/** What a daemon is doing with backups, and how the last one ended. */
export interface BackupState {
  running: BackupList['running']
  lastError: string | null
}

const kept = keptByDaemon<BackupState>()

/** @returns what there is, or a new one. */
export function backupStateOf(daemon: Pick<Daemon, 'store'>): BackupState {
  return kept.ifKept(daemon) ?? kept.keep(daemon, { running: null, lastError: null })
}

const busy = 'another backup, check or restore is under way; memory backup list shows it'

/** @throws AppError `conflict` while something is done with backups. */
export function requireIdle(daemon: Pick<Daemon, 'store'>): void {
  if (backupStateOf(daemon).running) throw new AppError('conflict', busy)
}

/**
 * One thing at a time, told of while it is under way.
 * @throws AppError `conflict` while another one is under way.
 */
export function aloneWithBackups<T>(
  daemon: Pick<Daemon, 'paths' | 'store'>,
  { what, id }: { what: NonNullable<BackupState['running']>['what']; id: string | null },
  work: (tools: { signal: AbortSignal; onProgress: (progress: BackupProgress) => void }) => Promise<T>,
): Promise<T> {
  const state = backupStateOf(daemon)
  return runAlone(daemon, { key: 'backup', busy }, async signal => {
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

/** A folder for one piece of work, below `.daemon`; what a kill leaves there goes at the next start. */
export function workFolder({ paths, newId }: Pick<Daemon, 'paths' | 'newId'>): string {
  return join(paths.backupWork, newId())
}

/** @throws AppError `insufficient_storage`: a database that only this daemon may open can't be copied by another process. */
export function requireSharedDatabase({ store, room }: Pick<Daemon, 'store' | 'room'>): void {
  const problem =
    room.problem() ?? (store.file.isAlone() ? 'the disk was full when the daemon started' : undefined)
  if (problem !== undefined)
    throw new AppError('insufficient_storage', `${problem}: no backup can be made; ${remedyOf(problem)}`)
}
