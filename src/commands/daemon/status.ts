import { daemonText } from '../../cli/operations/daemon/daemon-text.js'
import type { Supervision } from '../../cli/operations/daemon/supervisor/supervisor.js'
import { supervisionOf } from '../../cli/operations/daemon/supervisor/supervisor-of.js'
import { thisMachine } from '../../cli/sessions/connect/plan-context.js'
import { CliCommand } from '../../cli/shell/cli-command.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import { type DaemonState, daemonState } from '../../client/daemon/daemon-state.js'

export default class DaemonStatus extends CliCommand {
  static override summary = 'Show whether the daemon runs, its address and version, without starting it.'
  static override description = 'The exit code is 5 if the daemon is not running.'
  static override examples = ['<%= config.bin %> daemon status', '<%= config.bin %> daemon status --json']

  async run(): Promise<DaemonState & { supervision?: Supervision }> {
    await this.parse(DaemonStatus)
    const { workspace } = this.globals
    const state = await daemonState(workspace)
    const supervision = process.env.SERVICE_DAEMON_URL
      ? undefined
      : await supervisionOf(thisMachine(workspace))
    if (!state.running) process.exitCode = exitCodes.unavailable.code
    if (!this.jsonEnabled()) print(daemonText(state, colorsFor(), supervision))
    return { ...state, ...(supervision && { supervision }) }
  }
}
