import { SyncCommand, type SyncStatus } from '../../cli/operations/sync/sync-command.js'

export default class SyncPause extends SyncCommand {
  static override summary = 'Pause the sync; changes are kept until it is resumed.'
  static override examples = ['<%= config.bin %> sync pause']

  async run(): Promise<SyncStatus> {
    await this.parse(SyncPause)
    return this.show(await this.call('POST /api/sync/pause', { body: { paused: true } }))
  }
}
