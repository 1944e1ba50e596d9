import type { Reply } from '../../../contract/api.js'
import { startSpinner } from '../../terminal/progress.js'
import { startSupervised } from '../daemon/supervisor/start-supervised.js'

/**
 * Restarts the daemon of a workspace, which applies a prepared restore before it opens any file.
 * @param daemonFlags flags of the new process, for a workspace whose daemon cannot start without them.
 * @returns the list of backups from the new daemon.
 */
export async function restartToRestore(
  workspace: string | undefined,
  daemonFlags?: readonly string[],
): Promise<Reply<'GET /api/backup'>> {
  const spinner = startSpinner('restarting the daemon')
  try {
    const { stopWorkspaceDaemon } = await import('../../../client/daemon/stop-daemon.js')
    await stopWorkspaceDaemon(workspace)
    if (!daemonFlags) await startSupervised(workspace, {})
    const { ensureDaemon } = await import('../../../client/daemon/ensure-daemon.js')
    await ensureDaemon({
      ...(workspace !== undefined && { workspace }),
      autostart: true,
      onWait: spinner.say,
      ...(daemonFlags && { daemonFlags }),
    })
    const { call } = await import('../../../client/call.js')
    return await call('GET /api/backup', {}, { ...(workspace !== undefined && { workspace }) })
  } finally {
    spinner.stop()
  }
}
