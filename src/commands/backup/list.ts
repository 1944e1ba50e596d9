import { listText } from '../../cli/operations/backup/backup-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class BackupList extends DaemonCommand {
  static override summary = 'List backups, newest first.'
  static override examples = ['<%= config.bin %> backup list', '<%= config.bin %> backup list --json']

  async run(): Promise<Reply<'GET /api/backup'>> {
    await this.parse(BackupList)
    const list = await this.call('GET /api/backup')
    if (!this.jsonEnabled()) print(listText(list, colorsFor()))
    return list
  }
}
