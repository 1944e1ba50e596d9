import { deviceLines, SyncCommand, type SyncStatus } from '../../cli/operations/sync/sync-command.js'
import { print } from '../../cli/terminal/output.js'

export default class SyncDevices extends SyncCommand {
  static override summary = 'List the machines of the sync, and how far each is read here.'
  static override examples = ['<%= config.bin %> sync devices']

  async run(): Promise<SyncStatus['devices']> {
    await this.parse(SyncDevices)
    const status = await this.call('GET /api/sync')
    if (!this.jsonEnabled()) print(deviceLines(status).join('\n') || 'no machine syncs with this one')
    return status.devices
  }
}
