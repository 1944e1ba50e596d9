import { statusText } from '../cli/operations/status.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { colorsFor, print } from '../cli/terminal/output.js'

export default class Status extends DaemonCommand {
  static override summary =
    'Show what is stored, the state of the index and embedding model, and where the daemon runs.'
  static override description =
    'Starts the daemon if it is not running; memory daemon status does not. A model that is not available ' +
    'yet lowers the health only if agent.yaml names one.'
  static override examples = ['<%= config.bin %> status', '<%= config.bin %> status --json']

  async run() {
    await this.parse(Status)
    const status = await this.call('GET /api/status')
    if (!this.jsonEnabled()) print(statusText(status, colorsFor()))
    return status
  }
}
