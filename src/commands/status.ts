import { statusText } from '../cli/operations/status.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { colorsFor, print } from '../cli/terminal/output.js'

export default class Status extends DaemonCommand {
  static override summary =
    'Show what is stored, how the index and the embedding model do, and where the daemon runs.'
  static override description =
    'Starts the daemon when it is not running; memory daemon status does not. A model that is not here yet lowers the ' +
    'health only where agent.yaml names one.'
  static override examples = ['<%= config.bin %> status', '<%= config.bin %> status --json']

  async run() {
    await this.parse(Status)
    const status = await this.call('GET /api/status')
    if (!this.jsonEnabled()) print(statusText(status, colorsFor()))
    return status
  }
}
