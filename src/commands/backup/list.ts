import { listText } from '../../cli/operations/backup.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class BackupList extends DaemonCommand {
  static override summary = 'List backups, newest first.'
  static override examples = ['<%= config.bin %> backup list', '<%= config.bin %> backup list --json']
  static override flags = listFlags

  async run(): Promise<Reply<'GET /api/backup'>> {
    const { flags } = await this.parse(BackupList)
    const list = await this.call('GET /api/backup')
    const page = listPage(list.backups, { total: list.backups.length })
    if (this.jsonEnabled()) return { ...list, ...page }
    if (!printItems(page, flags)) print(listText(list, colorsFor()))
    return list
  }
}
