import {
  addressArgument,
  beginFlags,
  SyncCommand,
  syncTimeoutMs,
} from '../../cli/operations/sync/sync-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { quotedForShell } from '../../lib/text/shell-words.js'

export default class SyncInit extends SyncCommand {
  static override summary = 'Begin to sync memories with other machines through a folder or a server.'
  static override description =
    'Says what is synced and asks first. Everything is encrypted before it is written; keys never leave your ' +
    'machines. Shows a recovery code once, which lets a new machine in when all others are lost. Credentials of ' +
    'a server are asked for and kept as a secret; git uses its own.'
  static override examples = [
    '<%= config.bin %> sync init ~/Dropbox/memory',
    '<%= config.bin %> sync init git+ssh://git@example.com/me/memory.git',
    '<%= config.bin %> sync init "s3://my-bucket/memory?region=eu-central-1"',
    '<%= config.bin %> sync init webdavs://cloud.example.com/remote.php/dav/files/me/memory',
    '<%= config.bin %> sync init memory-relay:https://memory.example.com/mine',
  ]
  static override args = addressArgument
  static override flags = beginFlags

  async run(): Promise<Reply<'POST /api/sync/init'>> {
    const { args, flags } = await this.parse(SyncInit)
    const body = await this.agreedPlace(args.address, flags)
    const reply = await this.call('POST /api/sync/init', { body }, { timeoutMs: syncTimeoutMs })
    // The first exchange may take long or fail, and the code is never shown again.
    if (this.jsonEnabled()) return reply
    print(`Recovery code: ${reply.recoveryCode}\nWrite it down now: it is not stored and never shown again.`)
    print(`On your other machine: memory sync join ${quotedForShell(args.address)}`)
    this.show(await this.exchange())
    return reply
  }
}
