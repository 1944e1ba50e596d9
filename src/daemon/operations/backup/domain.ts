import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../contract/ground/errors.js'
import * as contract from '../../../contract/operations/backup.js'
import { dayMs } from '../../../lib/time/time.js'
import type { Timers } from '../../../lib/time/timers.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createPeriodicWork, isPast } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { backupsIn, sweepParts } from './backups.js'
import { createBackup, newBackupId } from './create-backup.js'
import { readNote, readPlan } from './restore-files.js'

/** No scheduled backup in the first minute, which belongs to the start. */
const notBeforeMs = 60_000
/** Wait after a failed backup. */
const retryMs = 3_600_000
const undoKeptMs = 30 * dayMs

/** Backups of the workspace as one archive, and restores (operations.md 4). */
export const backup: Domain = {
  routes: lateRoutes(
    [
      contract.listBackups,
      contract.createBackup,
      contract.verifyBackup,
      contract.verifyArchive,
      contract.restoreBackup,
      contract.restoreArchive,
      contract.undoRestore,
    ],
    () => import('./routes.js'),
  ),
  workers: [daemon => createBackupWorker(daemon)],
  recover: async daemon => {
    await rm(daemon.paths.backupWork, { recursive: true, force: true, maxRetries: 5 })
    await sweepParts(daemon)
  },
}

/** Makes scheduled backups while the settings ask for them (operations.md 4.2). */
export function createBackupWorker(daemon: Daemon, timers?: Timers): Worker {
  let failedAt: number | undefined
  return createPeriodicWork({
    run: async () => {
      await forgetUndo(daemon)
      if (!daemon.store.file || !(await isDue(daemon, failedAt))) return
      try {
        const id = newBackupId(daemon.clock(), 'scheduled')
        await createBackup(daemon, { id, kind: 'scheduled' })
        failedAt = undefined
      } catch (error) {
        // A manual backup is running.
        if (error instanceof AppError && error.code === 'conflict') return
        failedAt = daemon.clock().getTime()
        throw error
      }
    },
    onError: error => daemon.log.warn({ err: error }, 'backup failed'),
    timers,
  })
}

async function isDue(daemon: Daemon, failedAt: number | undefined): Promise<boolean> {
  const { enabled, intervalHours } = daemon.configuration().settings.backup
  const now = daemon.clock()
  if (!enabled || now.getTime() - daemon.startedAt.getTime() < notBeforeMs) return false
  if (!isPast(failedAt, retryMs, now)) return false
  const scheduled = (await backupsIn(daemon)).find(({ kind }) => kind === 'scheduled')
  if (!isPast(scheduled?.createdAt, intervalHours * 3_600_000, now)) return false
  return (await daemon.store.tables.memories.countAlive()) > 0
}

/** Deletes the workspace a restore replaced, after 30 days. */
async function forgetUndo({ paths, clock }: Daemon): Promise<void> {
  const note = readNote(paths)
  if (!note || readPlan(paths) || clock().getTime() - Date.parse(note.at) < undoKeptMs) return
  await rm(join(paths.restore, note.undo), { recursive: true, force: true, maxRetries: 5 })
}
