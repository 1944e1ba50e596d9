import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { StorageMove } from '../../../contract/operations/storage.js'
import { workspacePaths } from '../../../lib/workspace/paths.js'
import { isRunning, readRegistration } from '../../../lib/workspace/registration.js'
import { startProgressBar } from '../../terminal/progress.js'
import { startSupervised } from '../daemon/supervisor/start-supervised.js'

const pollMs = 200

/** Restarts the daemon, which makes a prepared move first, and shows how far it is. */
export async function runMove(workspace: string | undefined): Promise<void> {
  const { storageMoveNote } = workspacePaths(workspace)
  const { stopWorkspaceDaemon } = await import('../../../client/daemon/stop-daemon.js')
  await stopWorkspaceDaemon(workspace)
  await startSupervised(workspace, {})
  const { ensureDaemon } = await import('../../../client/daemon/ensure-daemon.js')
  const bar = startProgressBar()
  // A long move outlasts the patience of a start; the note tells how it goes.
  const start: { error?: unknown } = {}
  void ensureDaemon({ ...(workspace !== undefined && { workspace }), autostart: true }).catch(error => {
    start.error = error
  })
  try {
    for (;;) {
      const note = noteIn(storageMoveNote)
      if (!note || (note.phase !== 'copying' && note.phase !== 'placing')) return
      const { step, table, done, total } = note.progress
      bar.update(`${step} ${table}`, total === 0 ? undefined : done / total)
      if (start.error !== undefined && !isDaemonAlive(workspace)) throw start.error
      await delay(pollMs)
    }
  } finally {
    bar.stop()
  }
}

function noteIn(file: string): Pick<StorageMove, 'phase' | 'progress'> | undefined {
  if (!existsSync(file)) return undefined
  return JSON.parse(readFileSync(file, 'utf8')) as Pick<StorageMove, 'phase' | 'progress'>
}

function isDaemonAlive(workspace: string | undefined): boolean {
  const entry = readRegistration(workspacePaths(workspace).registration)
  return entry !== undefined && isRunning(entry)
}
