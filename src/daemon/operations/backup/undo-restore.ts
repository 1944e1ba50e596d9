import { randomUUID } from 'node:crypto'
import { AppError, notFound } from '../../../contract/ground/errors.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { runBackupWork } from './backup-work.js'
import { cancelRestore } from './prepare-restore.js'
import { isUndoKept, readNote, writePlan } from './restore-files.js'

type Deps = Pick<Daemon, 'paths' | 'store' | 'clock'>

/**
 * Plans that the next start brings back the workspace from before the last restore, keeping the current one
 * in turn. A restore that is only prepared is cancelled instead.
 * @throws AppError `confirm_required`, `not_found` when there is nothing to undo.
 */
export function undoRestore(
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
