import { daemonText } from '../../cli/operations/daemon-text.js'
import { startSupervised } from '../../cli/operations/supervisor/start-supervised.js'
import { CliCommand } from '../../cli/shell/cli-command.js'
import { daemonFlags, openFlag } from '../../cli/shell/open-flag.js'
import { requireOwnDaemon } from '../../cli/shell/own-daemon.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import { startSpinner } from '../../cli/terminal/spinner.js'
import { type DaemonState, daemonState } from '../../client/daemon-state.js'
import { stopWorkspaceDaemon } from '../../client/stop-daemon.js'

export default class DaemonRestart extends CliCommand {
  static override summary = 'Stop the daemon after its work in hand and start it again.'
  static override examples = ['<%= config.bin %> daemon restart']
  static override flags = openFlag

  async run(): Promise<DaemonState> {
    const { flags } = await this.parse(DaemonRestart)
    requireOwnDaemon()
    const { workspace } = this.globals
    const spinner = startSpinner('waiting until the daemon has stopped')
    try {
      await stopWorkspaceDaemon(workspace)
      await startSupervised(workspace, flags)
      const { ensureDaemon } = await import('../../client/ensure-daemon.js')
      await ensureDaemon({
        workspace,
        autostart: true,
        onWait: spinner.say,
        daemonFlags: daemonFlags(flags),
      })
    } finally {
      spinner.stop()
    }
    const state = await daemonState(workspace)
    if (!this.jsonEnabled()) print(daemonText(state, colorsFor()))
    return state
  }
}
