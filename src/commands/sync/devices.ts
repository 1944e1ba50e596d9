import { deviceLines, SyncCommand, type SyncStatus } from '../../cli/operations/sync/sync-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { print } from '../../cli/terminal/output.js'

export default class SyncDevices extends SyncCommand {
  static override summary = 'List the machines of the sync, and how far each is read here.'
  static override examples = ['<%= config.bin %> sync devices']
  static override flags = listFlags

  async run(): Promise<SyncStatus['devices']> {
    const { flags } = await this.parse(SyncDevices)
    const status = await this.call('GET /api/sync')
    const { devices } = status
    if (!this.jsonEnabled() && !printItems(listPage(devices, { total: devices.length }), flags))
      print(deviceLines(status).join('\n') || 'no machine syncs with this one')
    return devices
  }
}
