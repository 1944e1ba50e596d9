import { AppError } from '../../../contract/ground/errors.js'
import * as contract from '../../../contract/operations/backup.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { requireIdle } from './backup-work.js'
import { createBackup, newBackupId } from './create-backup.js'
import { listBackups } from './list-backups.js'
import { restoreBackup } from './prepare-restore.js'
import { undoRestore } from './undo-restore.js'
import { verifyBackup } from './verify-backup.js'

export const routes = [
  route(contract.listBackups, daemon => listBackups(daemon)),
  route(contract.createBackup, (daemon, { body }) => start(daemon, body.wait)),
  route(contract.verifyBackup, (daemon, { params, body }) => verifyBackup(daemon, params, body)),
  route(contract.verifyArchive, (daemon, { body, caller }) =>
    verifyBackup(daemon, requireLocalCaller(caller, body), body),
  ),
  route(contract.restoreBackup, (daemon, { params, body }) => restoreBackup(daemon, params, body)),
  route(contract.restoreArchive, (daemon, { body, caller }) =>
    restoreBackup(daemon, requireLocalCaller(caller, body), body),
  ),
  route(contract.undoRestore, (daemon, { body }) => undoRestore(daemon, body)),
]

async function start(daemon: Daemon, wait: boolean) {
  requireIdle(daemon)
  const id = newBackupId(daemon.clock(), 'manual')
  const made = createBackup(daemon, { id, kind: 'manual' })
  if (wait) return { id, backup: await made }
  // The result appears in the list of backups.
  made.catch(error => daemon.log.warn({ err: error }, 'backup failed'))
  return { id, backup: null }
}

/** @throws AppError `forbidden` for a path named by a caller on another machine. */
function requireLocalCaller(
  caller: Pick<Caller, 'peer' | 'forwarded'>,
  { file }: { file: string },
): { file: string } {
  if (isOnThisMachine(caller)) return { file }
  throw new AppError(
    'forbidden',
    'only callers on the machine of the daemon may name a path; name a backup by its id',
  )
}
