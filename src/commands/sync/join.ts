import {
  addressArgument,
  beginFlags,
  SyncCommand,
  syncTimeoutMs,
} from '../../cli/operations/sync/sync-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SyncJoin extends SyncCommand {
  static override summary = 'Ask the machines that sync through a place to let this one in.'
  static override description =
    'Shows a code. Type it on a machine that belongs: memory sync approve CODE. The code proves both machines to ' +
    'each other. Memories of this machine are joined with the others: the same text becomes one memory.'
  static override examples = ['<%= config.bin %> sync join ~/Dropbox/memory']
  static override args = addressArgument
  static override flags = beginFlags

  async run(): Promise<Reply<'POST /api/sync/join'>> {
    const { args, flags } = await this.parse(SyncJoin)
    const body = await this.agreedPlace(args.address, flags)
    const reply = await this.call('POST /api/sync/join', { body }, { timeoutMs: syncTimeoutMs })
    if (!this.jsonEnabled())
      print(`Code: ${reply.code}\nOn a machine that belongs: memory sync approve ${reply.code}`)
    return reply
  }
}
