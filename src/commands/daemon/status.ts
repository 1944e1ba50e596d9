import { CliCommand } from '../../cli/cli-command.js'
import { exitCodes } from '../../cli/exit-codes.js'
import { daemonText } from '../../cli/operations/daemon-text.js'
import { colorsFor, print } from '../../cli/output.js'
import { type DaemonState, daemonState } from '../../client/daemon-state.js'

export default class DaemonStatus extends CliCommand {
  static override summary = 'Show whether the daemon runs, where, and which version; never starts it.'
  static override description = 'Exit code 5 when it does not run.'
  static override examples = ['<%= config.bin %> daemon status', '<%= config.bin %> daemon status --json']

  async run(): Promise<DaemonState> {
    await this.parse(DaemonStatus)
    const state = await daemonState(this.globals.workspace)
    if (!state.running) process.exitCode = exitCodes.unavailable.code
    if (!this.jsonEnabled()) print(daemonText(state, colorsFor()))
    return state
  }
}
