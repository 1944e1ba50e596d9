import { CodeCommand, projectFlag } from '../../cli/knowledge/code/code-command.js'
import { type CodeStatus, statusText } from '../../cli/knowledge/code/code-text.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import { printStays } from '../../cli/terminal/stays.js'

export default class CodeStatusCommand extends CodeCommand {
  static override summary = "Show the state of a project's code index and the running job."
  static override examples = ['<%= config.bin %> code status', '<%= config.bin %> code status --json']
  static override flags = { project: projectFlag }

  async run(): Promise<CodeStatus> {
    const { flags } = await this.parse(CodeStatusCommand)
    const reply = await this.call('GET /api/code/status', {
      query: { project: this.projectOf(flags.project) },
    })
    if (this.jsonEnabled()) return reply
    print(statusText(reply, { colors: colorsFor(), now: Date.now() }))
    printStays(reply.stays, 'code indexes')
    return reply
  }
}
