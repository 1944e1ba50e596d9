import { Flags } from '@oclif/core'
import { CodeCommand, projectFlag } from '../../cli/knowledge/code/code-command.js'
import { print } from '../../cli/terminal/output.js'
import { plainLines } from '../../cli/terminal/text.js'
import type { Reply } from '../../contract/api.js'

export default class CodeBriefing extends CodeCommand {
  static override summary = 'Summarise a project: its modules, entry points and most-used symbols.'
  static override examples = ['<%= config.bin %> code briefing', '<%= config.bin %> code briefing --compact']
  static override flags = {
    project: projectFlag,
    compact: Flags.boolean({ summary: 'Print only a few lines.' }),
  }

  async run(): Promise<Reply<'GET /api/code/briefing'>> {
    const { flags } = await this.parse(CodeBriefing)
    const query = { project: this.projectOf(flags.project), compact: flags.compact }
    const reply = await this.call('GET /api/code/briefing', { query })
    if (!this.jsonEnabled()) print(plainLines(reply.text))
    return reply
  }
}
