import { Args, Flags } from '@oclif/core'
import { CodeCommand, projectFlag } from '../../cli/knowledge/code/code-command.js'
import { searchText } from '../../cli/knowledge/code/code-text.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class CodeSearch extends CodeCommand {
  static override summary = 'Search the symbols of a project.'
  static override description =
    'Searches names, signatures, documentation and paths. Symbols whose name equals or begins with the query ' +
    'come first. When piped, prints one symbol per line with tab-separated fields: kind, name, path, line, ' +
    'signature.'
  static override examples = [
    '<%= config.bin %> code search openStore',
    '<%= config.bin %> code search "parse date" --file src/lib --debug',
  ]
  static override args = {
    query: Args.string({ description: 'A name, or words from it.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    project: projectFlag,
    top: Flags.integer({ summary: 'Maximum number of symbols.', min: 1, max: 100, default: 10 }),
    file: Flags.string({ summary: 'Only files whose path contains this text.', helpValue: 'TEXT' }),
    debug: Flags.boolean({ summary: 'Show the parts of each score.' }),
  }

  async run(): Promise<Reply<'GET /api/code/search'>> {
    const { args, flags } = await this.parse(CodeSearch)
    const { top, file, debug } = flags
    const query = { project: this.projectOf(flags.project), query: args.query, top, file, debug }
    const reply = await this.call('GET /api/code/search', { query })
    if (this.jsonEnabled()) return reply
    if (reply.count > 0)
      print(searchText(reply, { colors: colorsFor(), tabs: process.stdout.isTTY !== true }))
    else printNote('No symbols found.')
    return reply
  }
}
