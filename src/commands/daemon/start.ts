import { daemonText } from '../../cli/operations/daemon-text.js'
import { startSupervised } from '../../cli/operations/supervisor/start-supervised.js'
import { CliCommand } from '../../cli/shell/cli-command.js'
import { daemonFlags, openFlag } from '../../cli/shell/open-flag.js'
import { requireOwnDaemon } from '../../cli/shell/own-daemon.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import { startSpinner } from '../../cli/terminal/spinner.js'
import { type DaemonState, daemonState } from '../../client/daemon-state.js'

export default class DaemonStart extends CliCommand {
  static override summary = 'Start the daemon in the background and wait until it is ready.'
  static override description =
    'Seldom needed: commands start it themselves. Does nothing when it runs already; replaces one of an older version.'
  static override examples = [
    '<%= config.bin %> daemon start',
    'SERVICE_PORT=3851 <%= config.bin %> daemon start',
  ]
  static override flags = openFlag

  async run(): Promise<DaemonState> {
    const { flags } = await this.parse(DaemonStart)
    requireOwnDaemon()
    const { workspace } = this.globals
    const spinner = startSpinner('starting the daemon')
    try {
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
