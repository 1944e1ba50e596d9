import { Args, Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { SyncCommand, syncTimeoutMs } from '../../cli/operations/sync/sync-command.js'
import { print } from '../../cli/terminal/output.js'
import { plainLine } from '../../cli/terminal/text.js'
import type { Reply } from '../../contract/api.js'

export default class SyncRevoke extends SyncCommand {
  static override summary = 'Remove a machine from the sync, such as one that was lost.'
  static override description =
    'It reads nothing that is written from then on, and what it writes no longer counts. It keeps what it has read.'
  static override examples = ['<%= config.bin %> sync revoke laptop']
  static override args = {
    machine: Args.string({ description: 'Its name or tag.', required: true, ignoreStdin: true }),
  }
  static override flags = { yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y' }) }

  async run(): Promise<Reply<'POST /api/sync/revoke'>> {
    const { args, flags } = await this.parse(SyncRevoke)
    const nextSteps = ['add --yes to remove it']
    await askAbout({ yes: flags.yes, json: this.jsonEnabled(), nextSteps }, async () => ({
      lines: [
        `${plainLine(args.machine)} reads nothing new from now on, and can't come back under its keys.`,
      ],
      question: 'Remove this machine?',
    }))
    const body = { device: args.machine }
    const reply = await this.call('POST /api/sync/revoke', { body }, { timeoutMs: syncTimeoutMs })
    if (!this.jsonEnabled()) print(`${plainLine(reply.name)} is removed.`)
    return reply
  }
}
