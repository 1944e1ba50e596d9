import { CliCommand } from '../../cli/shell/cli-command.js'
import { requireOwnDaemon } from '../../cli/shell/own-daemon.js'
import { print } from '../../cli/terminal/output.js'
import { startSpinner } from '../../cli/terminal/progress.js'
import { stopWorkspaceDaemon } from '../../client/daemon/stop-daemon.js'

export default class DaemonStop extends CliCommand {
  static override summary = 'Stop the daemon after its running work.'
  static override description = 'Waits until the daemon has stopped. Succeeds if no daemon was running.'
  static override examples = ['<%= config.bin %> daemon stop']

  async run(): Promise<{ stopped: boolean; pid?: number }> {
    await this.parse(DaemonStop)
    requireOwnDaemon()
    const spinner = startSpinner('waiting until the daemon has stopped')
    const pid = await stopWorkspaceDaemon(this.globals.workspace).finally(spinner.stop)
    if (!this.jsonEnabled()) print(pid ? `Stopped the daemon (pid ${pid})` : 'The daemon is not running')
    return { stopped: pid !== undefined, pid }
  }
}
