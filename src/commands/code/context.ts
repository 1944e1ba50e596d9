import { CodeCommand, projectFlag, symbolArg } from '../../cli/knowledge/code/code-command.js'
import { contextText } from '../../cli/knowledge/code/code-text.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class CodeContext extends CodeCommand {
  static override summary = 'Show where a symbol is defined, what uses it and what it uses.'
  static override description =
    'References marked "likely" are derived from a declared type or from inheritance. Those marked ' +
    '"ambiguous" match only by a name that several symbols have.'
  static override examples = [
    '<%= config.bin %> code context openStore',
    '<%= config.bin %> code context src/store/sqlite/database.ts:openStore --json',
  ]
  static override args = { symbol: symbolArg }
  static override flags = { project: projectFlag }

  async run(): Promise<Reply<'GET /api/code/context'>> {
    const { args, flags } = await this.parse(CodeContext)
    const query = { project: this.projectOf(flags.project), symbol: args.symbol }
    const reply = await this.call('GET /api/code/context', { query })
    if (!this.jsonEnabled()) print(contextText(reply, colorsFor()))
    return reply
  }
}
