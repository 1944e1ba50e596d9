import { Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { SyncCommand } from '../../cli/operations/sync/sync-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SyncLeave extends SyncCommand {
  static override summary = 'End the sync on this machine; its memories stay.'
  static override description =
    'Other machines go on and keep this one in their list until one removes it: memory sync revoke.'
  static override examples = ['<%= config.bin %> sync leave']
  static override flags = { yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y' }) }

  async run(): Promise<Reply<'POST /api/sync/leave'>> {
    const { flags } = await this.parse(SyncLeave)
    const nextSteps = ['add --yes to leave']
    await askAbout({ yes: flags.yes, json: this.jsonEnabled(), nextSteps }, async () => ({
      lines: ['Memories stay here. To sync again, this machine must join again.'],
      question: 'Leave the sync?',
    }))
    const reply = await this.call('POST /api/sync/leave', { body: {} })
    if (!this.jsonEnabled()) print(reply.left ? 'This machine no longer syncs.' : 'Sync was off already.')
    return reply
  }
}
