import { rm } from 'node:fs/promises'
import * as contract from '../../../contract/operations/backup.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createBackupWorker } from './backup-worker.js'
import { sweepParts } from './backups.js'

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
