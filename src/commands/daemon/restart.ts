import { daemonText } from '../../cli/operations/daemon/daemon-text.js'
import { startInBackground } from '../../cli/operations/daemon/supervisor/start-supervised.js'
import { CliCommand } from '../../cli/shell/cli-command.js'
import { openFlag, requireOwnDaemon } from '../../cli/shell/own-daemon.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { DaemonState } from '../../client/daemon/daemon-state.js'
import { stopWorkspaceDaemon } from '../../client/daemon/stop-daemon.js'

export default class DaemonRestart extends CliCommand {
  static override summary = 'Stop the daemon after its running work, and start it again.'
  static override examples = ['<%= config.bin %> daemon restart']
  static override flags = openFlag

  async run(): Promise<DaemonState> {
    const { flags } = await this.parse(DaemonRestart)
    requireOwnDaemon()
    const { workspace } = this.globals
    const state = await startInBackground({
      workspace,
      flags,
      doing: 'waiting until the daemon has stopped',
      first: () => stopWorkspaceDaemon(workspace),
    })
    if (!this.jsonEnabled()) print(daemonText(state, colorsFor()))
    return state
  }
}
