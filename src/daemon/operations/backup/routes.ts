import { randomUUID } from 'node:crypto'
import { AppError, notFound } from '../../../contract/ground/errors.js'
import * as contract from '../../../contract/operations/backup.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { requireIdle, runBackupWork } from './backup-work.js'
import { listBackups } from './backups.js'
import { createBackup, newBackupId } from './create-backup.js'
import { cancelRestore, restoreBackup } from './prepare-restore.js'
import { isUndoKept, readNote, writePlan } from './restore-files.js'
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

type Deps = Pick<Daemon, 'paths' | 'store' | 'clock'>

/**
 * Plans that the next start brings back the workspace from before the last restore, keeping the current one
 * in turn. A restore that is only prepared is cancelled instead.
 * @throws AppError `confirm_required`, `not_found` when there is nothing to undo.
 */
function undoRestore(
  daemon: Deps,
  { confirm }: { confirm: boolean },
): Promise<{ id: string; restartRequired: boolean; message: string }> {
  const { paths, clock } = daemon
  if (!confirm)
    throw new AppError(
      'confirm_required',
      'an undo replaces the workspace with its earlier state: send confirm: true',
    )
  return runBackupWork(daemon, { what: 'restore', id: null }, async () => {
    if (await cancelRestore(paths))
      return { id: '', restartRequired: false, message: 'the prepared restore is cancelled' }
    const note = readNote(paths)
    if (!isUndoKept(paths, note))
      throw notFound('no restore to undo', 'memory backup list shows the last one')
    writePlan(paths, {
      id: note.id,
      kind: 'undo',
      preparedAt: clock().toISOString(),
      memories: note.undoMemories,
      memoriesBefore: await daemon.store.tables.memories.countAlive(),
      incoming: note.undo,
      outgoing: `out-${randomUUID()}`,
      phase: 'prepared',
    })
    return {
      id: note.id,
      restartRequired: true,
      message: 'the next start brings back the previous workspace',
    }
  })
}
