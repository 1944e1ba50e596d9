import type { Reply } from '../../../contract/api.js'
import { startSpinner } from '../../terminal/spinner.js'
import { startSupervised } from '../daemon/supervisor/start-supervised.js'

/**
 * Restarts the daemon of a workspace, which takes a prepared restore in before it opens anything.
 * @param daemonFlags of the daemon process, for a workspace that none can serve as it is.
 * @returns the list of backups as the new daemon tells it.
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
