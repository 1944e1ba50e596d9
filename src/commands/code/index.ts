import { Args, Flags } from '@oclif/core'
import { CodeCommand } from '../../cli/knowledge/code/code-command.js'
import { indexedText } from '../../cli/knowledge/code/code-text.js'
import { type CodeStatus, followIndex } from '../../cli/knowledge/code/follow-index.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import { call } from '../../client/call.js'
import type { Reply } from '../../contract/api.js'

export default class CodeIndex extends CodeCommand {
  static override summary = 'Read the code of a project, or what changed of it.'
  static override description =
    'It waits until all is read, unless --background is given; Ctrl-C leaves the reading to the daemon. Naming a folder ' +
    'here lets its code be read and asked about from then on. Needs the plugin service.codeindex. The exit code is 1 ' +
    'when the project could not be read.'
  static override examples = [
    '<%= config.bin %> code index',
    '<%= config.bin %> code index ~/work/api --full',
    '<%= config.bin %> code index --cancel',
  ]
  static override args = {
    path: Args.string({
      description: 'The folder of the project (default: the one you are in).',
      ignoreStdin: true,
    }),
  }
  static override flags = {
    full: Flags.boolean({ summary: 'Read every file again, whether it changed or not.' }),
    background: Flags.boolean({ summary: 'Do not wait.' }),
    cancel: Flags.boolean({
      summary: 'End the reading that is under way.',
      exclusive: ['full', 'background'],
    }),
  }

  async run(): Promise<CodeStatus | Reply<'POST /api/code/index'> | Reply<'POST /api/code/cancel'>> {
    const { args, flags } = await this.parse(CodeIndex)
    const project = this.projectOf(args.path)
    if (flags.cancel) return this.cancel(project)
    const begun = await this.call('POST /api/code/index', {
      body: { project, full: flags.full, named: true },
    })
    if (flags.background) {
      if (!this.jsonEnabled()) printNote('Next: memory code status tells how far it is')
      return begun
    }
    const request = { query: { project: begun.project } }
    const status = await followIndex(() => call('GET /api/code/status', request, this.globals), begun.jobId)
    if (status.job && status.job.state !== 'done') process.exitCode = exitCodes.failure.code
    if (!this.jsonEnabled()) print(indexedText(status, colorsFor()))
    return status
  }

  private async cancel(project: string | undefined): Promise<Reply<'POST /api/code/cancel'>> {
    const reply = await this.call('POST /api/code/cancel', { body: { project } })
    if (!this.jsonEnabled())
      print(reply.cancelled ? 'Cancelled; what was read stays' : 'Nothing is being read')
    return reply
  }
}
