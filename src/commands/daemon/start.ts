import { daemonText } from '../../cli/operations/daemon/daemon-text.js'
import { startInBackground } from '../../cli/operations/daemon/supervisor/start-supervised.js'
import { CliCommand } from '../../cli/shell/cli-command.js'
import { openFlag, requireOwnDaemon } from '../../cli/shell/own-daemon.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { DaemonState } from '../../client/daemon/daemon-state.js'

export default class DaemonStart extends CliCommand {
  static override summary = 'Start the daemon in the background and wait until it is ready.'
  static override description =
    'Rarely needed, because other commands start the daemon. If it already runs nothing happens, unless it ' +
    'is an older version, which is replaced.'
  static override examples = [
    '<%= config.bin %> daemon start',
    'SERVICE_PORT=3851 <%= config.bin %> daemon start',
  ]
  static override flags = openFlag

  async run(): Promise<DaemonState> {
    const { flags } = await this.parse(DaemonStart)
    requireOwnDaemon()
    const { workspace } = this.globals
    const state = await startInBackground({
      workspace,
      flags,
      doing: 'starting the daemon',
    })
    if (!this.jsonEnabled()) print(daemonText(state, colorsFor()))
    return state
  }
}
