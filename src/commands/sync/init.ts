import {
  beginFlags,
  folderArgument,
  SyncCommand,
  syncTimeoutMs,
} from '../../cli/operations/sync/sync-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SyncInit extends SyncCommand {
  static override summary = 'Begin to sync memories with other machines through a folder.'
  static override description =
    'Says what is synced and asks first. Everything is encrypted before it is written; keys never leave your ' +
    'machines. Shows a recovery code once, which lets a new machine in when all others are lost.'
  static override examples = ['<%= config.bin %> sync init ~/Dropbox/memory']
  static override args = folderArgument
  static override flags = beginFlags

  async run(): Promise<Reply<'POST /api/sync/init'>> {
    const { args, flags } = await this.parse(SyncInit)
    const body = await this.agreedPlace(args.folder, flags)
    const reply = await this.call('POST /api/sync/init', { body })
    const status = await this.call('POST /api/sync/run', { body: {} }, { timeoutMs: syncTimeoutMs })
    if (this.jsonEnabled()) return reply
    print(`Recovery code: ${reply.recoveryCode}\nWrite it down now: it is not stored and never shown again.`)
    print(`On your other machine: memory sync join ${args.folder}`)
    this.show(status)
    return reply
  }
}
