import { Flags } from '@oclif/core'
import { asksFirst, requireConsent } from '../../cli/consent/consent.js'
import { CodeCommand, projectFlag } from '../../cli/knowledge/code/code-command.js'
import { clearLines } from '../../cli/knowledge/code/code-text.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

const nextSteps = ['memory code status   shows the index', 'add --yes to delete it']

export default class CodeClear extends CodeCommand {
  static override summary = 'Delete the code index of a project; the code itself is not touched.'
  static override description =
    'Shows what will be deleted and asks for confirmation; without a terminal, --yes is required. memory ' +
    'code index rebuilds the index.'
  static override examples = [
    '<%= config.bin %> code clear',
    '<%= config.bin %> code clear --project ~/work/api --yes',
  ]
  static override flags = {
    project: projectFlag,
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y' }),
  }

  async run(): Promise<Reply<'POST /api/code/clear'>> {
    const { flags } = await this.parse(CodeClear)
    const project = this.projectOf(flags.project)
    const json = this.jsonEnabled()
    if (asksFirst({ yes: flags.yes, json, nextSteps })) {
      const status = await this.call('GET /api/code/status', { query: { project } })
      await requireConsent({ lines: clearLines(status), question: 'Delete the index?' })
    }
    const reply = await this.call('POST /api/code/clear', { body: { project, confirm: true } })
    if (!json) print(reply.cleared ? 'Deleted the index' : 'No index to delete')
    return reply
  }
}
