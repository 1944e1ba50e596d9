import { Args, Flags } from '@oclif/core'
import { CodeCommand, projectFlag } from '../../cli/knowledge/code/code-command.js'
import { searchText } from '../../cli/knowledge/code/code-text.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class CodeSearch extends CodeCommand {
  static override summary = 'Find symbols of a project by words.'
  static override description =
    'Words are looked for in names, signatures, documentation and paths; names that are the query, or begin with it, ' +
    'come first. In a pipe: one line a symbol with tab-separated fields: kind, name, path, line, signature.'
  static override examples = [
    '<%= config.bin %> code search openStore',
    '<%= config.bin %> code search "parse date" --file src/lib --debug',
  ]
  static override args = {
    query: Args.string({ description: 'A name, or words of it.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    project: projectFlag,
    top: Flags.integer({ summary: 'At most so many.', min: 1, max: 100, default: 10 }),
    file: Flags.string({ summary: 'Only in files with this in their path.', helpValue: 'TEXT' }),
    debug: Flags.boolean({ summary: 'Show what each score is made of.' }),
  }

  async run(): Promise<Reply<'GET /api/code/search'>> {
    const { args, flags } = await this.parse(CodeSearch)
    const { top, file, debug } = flags
    const query = { project: this.projectOf(flags.project), query: args.query, top, file, debug }
    const reply = await this.call('GET /api/code/search', { query })
    if (this.jsonEnabled()) return reply
    if (reply.count > 0)
      print(searchText(reply, { colors: colorsFor(), tabs: process.stdout.isTTY !== true }))
    else printNote('Nothing found')
    return reply
  }
}
