import { storageText } from '../../cli/operations/storage/storage-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'

export default class StorageStatus extends DaemonCommand {
  static override summary = 'Show where memories are stored: in a file or on a PostgreSQL server.'
  static override description =
    'For a server also its version, role, round trip, connections and size. A password is never shown.'
  static override examples = ['<%= config.bin %> storage status', '<%= config.bin %> storage status --json']

  async run() {
    await this.parse(StorageStatus)
    const status = await this.call('GET /api/storage')
    if (!this.jsonEnabled()) print(storageText(status, colorsFor()))
    return status
  }
}
