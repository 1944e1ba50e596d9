import { Args, Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { cancelLines, changedText } from '../../cli/knowledge/imports.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class ImportsCancel extends DaemonCommand {
  static override summary = 'Cancel an import. Imported conversations are kept, incomplete uploads deleted.'
  static override description =
    'Shows what will be deleted and asks for confirmation; without a terminal, --yes is required. To delete ' +
    'imported conversations, remove their source.'
  static override examples = ['<%= config.bin %> imports cancel 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    id: rowOf('import', Args.string({ description: 'Id of the import.', required: true, ignoreStdin: true })),
  }
  static override flags = { yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y' }) }

  async run(): Promise<Reply<'POST /api/sources/imports/:jobId/cancel'>> {
    const { args, flags } = await this.parse(ImportsCancel)
    const params = { jobId: args.id }
    const nextSteps = [`memory imports show ${args.id}   shows what was imported`, 'add --yes to cancel it']
    await askAbout({ yes: flags.yes === true, json: this.jsonEnabled(), nextSteps }, async () => ({
      lines: cancelLines(await this.call('GET /api/sources/imports/:jobId', { params })),
      question: 'Cancel the import?',
    }))
    const job = await this.call('POST /api/sources/imports/:jobId/cancel', { params })
    if (!this.jsonEnabled()) print(changedText(job))
    return job
  }
}
