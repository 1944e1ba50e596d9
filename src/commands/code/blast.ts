import { Flags } from '@oclif/core'
import { blastTree } from '../../cli/knowledge/code/blast.js'
import { CodeCommand, projectFlag, symbolArg } from '../../cli/knowledge/code/code-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { blastDirections } from '../../contract/knowledge/code-words.js'

export default class CodeBlast extends CodeCommand {
  static override summary = 'Show as a tree what a change of a symbol reaches.'
  static override description =
    'Backward is what uses it, and what uses that; forward is what it uses. What is marked ambiguous may or may not be ' +
    'reached, and nothing behind it is looked for.'
  static override examples = [
    '<%= config.bin %> code blast openStore',
    '<%= config.bin %> code blast Store.close --depth 5 --direction both',
  ]
  static override args = { symbol: symbolArg }
  static override flags = {
    project: projectFlag,
    depth: Flags.integer({ summary: 'At most so many steps.', min: 1, max: 10, default: 3 }),
    direction: Flags.option({ summary: 'Which way.', options: blastDirections, default: 'backward' })(),
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
