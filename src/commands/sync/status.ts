import { SyncCommand, type SyncStatus } from '../../cli/operations/sync/sync-command.js'

export default class SyncState extends SyncCommand {
  static override summary = 'Show the state of the sync, what waits, and files that are wrong.'
  static override examples = ['<%= config.bin %> sync status', '<%= config.bin %> sync status --json']

  async run(): Promise<SyncStatus> {
    await this.parse(SyncState)
    return this.show(await this.call('GET /api/sync'))
  }
}
