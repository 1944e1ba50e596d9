import { CodeCommand, projectFlag } from '../../cli/knowledge/code/code-command.js'
import { doctorText } from '../../cli/knowledge/code/code-text.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class CodeDoctor extends CodeCommand {
  static override summary =
    'Check the code index: unread, outdated and skipped files, and the parser of each language.'
  static override description = 'The exit code is 6 if there are problems.'
  static override examples = ['<%= config.bin %> code doctor', '<%= config.bin %> code doctor --json']
  static override flags = { project: projectFlag }

  async run(): Promise<Reply<'GET /api/code/doctor'>> {
    const { flags } = await this.parse(CodeDoctor)
    const reply = await this.call('GET /api/code/doctor', {
      query: { project: this.projectOf(flags.project) },
    })
    if (!reply.ok) process.exitCode = exitCodes.findings.code
    if (!this.jsonEnabled()) print(doctorText(reply, colorsFor()))
    return reply
  }
}
