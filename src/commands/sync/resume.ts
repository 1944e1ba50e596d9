import { SyncCommand, type SyncStatus } from '../../cli/operations/sync/sync-command.js'

export default class SyncResume extends SyncCommand {
  static override summary = 'Resume a paused sync.'
  static override examples = ['<%= config.bin %> sync resume']

  async run(): Promise<SyncStatus> {
    await this.parse(SyncResume)
    return this.show(await this.call('POST /api/sync/pause', { body: { paused: false } }))
  }
}
