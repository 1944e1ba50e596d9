import { Flags } from '@oclif/core'
import { CodeCommand, projectFlag, symbolArg } from '../../cli/knowledge/code/code-command.js'
import { blastTree } from '../../cli/knowledge/code/code-text.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { blastDirections } from '../../contract/knowledge/code-words.js'

export default class CodeBlast extends CodeCommand {
  static override summary = 'Show what is affected by changing a symbol, as a tree.'
  static override description =
    '"backward" follows the users of the symbol, and their users; "forward" follows its dependencies. ' +
    'References marked "ambiguous" may not be real and are not followed further.'
  static override examples = [
    '<%= config.bin %> code blast openStore',
    '<%= config.bin %> code blast Store.close --depth 5 --direction both',
  ]
  static override args = { symbol: symbolArg }
  static override flags = {
    project: projectFlag,
    depth: Flags.integer({
      summary: 'Maximum number of steps from the symbol.',
      min: 1,
      max: 10,
      default: 3,
    }),
    direction: Flags.option({
      summary: 'Direction to follow.',
      options: blastDirections,
      default: 'backward',
    })(),
  }

  async run(): Promise<Reply<'GET /api/code/blast'>> {
    const { args, flags } = await this.parse(CodeBlast)
    const { depth, direction } = flags
    const query = { project: this.projectOf(flags.project), symbol: args.symbol, depth, direction }
    const reply = await this.call('GET /api/code/blast', { query })
    if (!this.jsonEnabled()) print(blastTree(reply, colorsFor()))
    return reply
  }
}
