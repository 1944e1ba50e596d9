import {
  beginFlags,
  folderArgument,
  SyncCommand,
  type SyncStatus,
  syncTimeoutMs,
} from '../../cli/operations/sync/sync-command.js'
import { readHidden } from '../../cli/secrets/read-hidden.js'

export default class SyncRecover extends SyncCommand {
  static override summary = 'Let this machine into a synced folder with the recovery code.'
  static override description =
    'For when no other machine is left to approve it. The code comes from a hidden prompt or a pipe.'
  static override examples = ['<%= config.bin %> sync recover ~/Dropbox/memory']
  static override args = folderArgument
  static override flags = beginFlags

  async run(): Promise<SyncStatus> {
    const { args, flags } = await this.parse(SyncRecover)
    const place = await this.agreedPlace(args.folder, flags)
    const code = await readHidden({ label: 'Recovery code' })
    await this.call('POST /api/sync/recover', { body: { ...place, code } })
    return this.show(await this.call('POST /api/sync/run', { body: {} }, { timeoutMs: syncTimeoutMs }))
  }
}
