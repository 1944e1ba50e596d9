import { Args, Flags } from '@oclif/core'
import { CodeCommand, projectFlag } from '../../cli/knowledge/code/code-command.js'
import { constantsText } from '../../cli/knowledge/code/code-text.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class CodeConstants extends CodeCommand {
  static override summary = 'List the named constants of a project with their values.'
  static override description =
    'When piped, prints one constant per line with tab-separated fields: name, value, path, line.'
  static override examples = [
    '<%= config.bin %> code constants',
    '<%= config.bin %> code constants timeout --top 20',
  ]
  static override args = {
    query: Args.string({ description: 'Part of a name, a value or a path.', ignoreStdin: true }),
  }
  static override flags = {
    project: projectFlag,
    top: Flags.integer({ summary: 'Maximum number of constants.', min: 1, max: 500, default: 100 }),
  }

  async run(): Promise<Reply<'GET /api/code/constants'>> {
    const { args, flags } = await this.parse(CodeConstants)
    const query = { project: this.projectOf(flags.project), query: args.query, top: flags.top }
    const reply = await this.call('GET /api/code/constants', { query })
    if (this.jsonEnabled()) return reply
    if (reply.total > 0)
      print(constantsText(reply, { colors: colorsFor(), tabs: process.stdout.isTTY !== true }))
    else printNote('No named constants found.')
    return reply
  }
}
