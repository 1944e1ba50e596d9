import { Args } from '@oclif/core'
import { SyncCommand, syncTimeoutMs } from '../../cli/operations/sync/sync-command.js'
import { print } from '../../cli/terminal/output.js'
import { plainLine } from '../../cli/terminal/text.js'
import type { Reply } from '../../contract/api.js'

export default class SyncApprove extends SyncCommand {
  static override summary = 'Let in the machine that shows this code.'
  static override description = 'From then on that machine reads all synced memories, earlier ones too.'
  static override examples = ['<%= config.bin %> sync approve 7KD2M-X9P4T']
  static override args = {
    code: Args.string({ description: 'The code on the other machine.', required: true, ignoreStdin: true }),
  }

  async run(): Promise<Reply<'POST /api/sync/approve'>> {
    const { args } = await this.parse(SyncApprove)
    const reply = await this.call(
      'POST /api/sync/approve',
      { body: { code: args.code } },
      { timeoutMs: syncTimeoutMs },
    )
    if (!this.jsonEnabled()) print(`${plainLine(reply.name)} belongs now.`)
    return reply
  }
}
