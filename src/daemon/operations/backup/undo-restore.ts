import { randomUUID } from 'node:crypto'
import { AppError } from '../../../contract/ground/errors.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { aloneWithBackups } from './backup-work.js'
import { cancelRestore } from './prepare-restore.js'
import { isUndoKept, readNote, writePlan } from './restore-files.js'

type Deps = Pick<Daemon, 'paths' | 'store' | 'clock'>

/**
 * Has the next start bring back what was there before the last restore, which is kept in turn; a restore that is
 * prepared and did not happen yet is called off instead.
 * @throws AppError `confirm_required`, `not_found` where there is nothing to take back.
 */
export function undoRestore(
  daemon: Deps,
  { confirm }: { confirm: boolean },
): Promise<{ id: string; restartRequired: boolean; message: string }> {
  const { paths, clock } = daemon
  if (!confirm)
    throw new AppError(
      'confirm_required',
      'an undo replaces the workspace by what it was: send confirm: true',
    )
  return aloneWithBackups(daemon, { what: 'restore', id: null }, async () => {
    if (await cancelRestore(paths))
      return { id: '', restartRequired: false, message: 'the restore that was prepared is called off' }
    const note = readNote(paths)
    if (!isUndoKept(paths, note))
      throw new AppError(
        'not_found',
        'there is no restore to take back; memory backup list shows the last one',
      )
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
    return { id: note.id, restartRequired: true, message: 'a restart brings back what was there before' }
  })
}
