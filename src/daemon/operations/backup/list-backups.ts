import type { BackupList } from '../../../contract/operations/backup.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { backupStateOf } from './backup-work.js'
import { backupsIn, folderOf } from './backups.js'
import { isUndoKept, readNote, readPlan } from './restore-files.js'

export async function listBackups(
  daemon: Pick<Daemon, 'paths' | 'store' | 'configuration'>,
): Promise<BackupList> {
  const { paths, configuration } = daemon
  const backups = await backupsIn(daemon)
  const { enabled, intervalHours, keep } = configuration().settings.backup
  const { running, lastError } = backupStateOf(daemon)
  const plan = readPlan(paths)
  const note = readNote(paths)
  return {
    backups,
    count: backups.length,
    folder: folderOf(daemon),
    settings: { enabled, intervalHours, keep },
    running,
    lastError,
    pendingRestore: plan ? { id: plan.id, kind: plan.kind, preparedAt: plan.preparedAt } : null,
    lastRestore: note
      ? {
          id: note.id,
          kind: note.kind,
          at: note.at,
          memories: note.memories,
          canUndo: isUndoKept(paths, note),
        }
      : null,
  }
}
