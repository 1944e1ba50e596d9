import { Args, Flags } from '@oclif/core'
import { CodeCommand } from '../../cli/knowledge/code/code-command.js'
import { type CodeStatus, followIndex, indexedText } from '../../cli/knowledge/code/code-text.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import { call } from '../../client/call.js'
import type { Reply } from '../../contract/api.js'

export default class CodeIndex extends CodeCommand {
  static override summary = 'Index the code of a project; later runs read only changes.'
  static override description =
    'Waits until indexing is complete unless --background is given. Ctrl-C stops waiting; the daemon ' +
    'continues. Naming a folder on this machine allows its code to be indexed and searched from then on. ' +
    'Requires the plugin service.codeindex. The exit code is 1 if indexing fails.'
  static override examples = [
    '<%= config.bin %> code index',
    '<%= config.bin %> code index ~/work/api --full',
    '<%= config.bin %> code index --cancel',
  ]
  static override args = {
    path: Args.string({
      description: 'Folder of the project (default: the current one).',
      ignoreStdin: true,
    }),
  }
  static override flags = {
    full: Flags.boolean({ summary: 'Read every file again, even if unchanged.' }),
    background: Flags.boolean({ summary: 'Return without waiting.' }),
    cancel: Flags.boolean({
      summary: 'Stop the running indexing job.',
      exclusive: ['full', 'background'],
    }),
  }

  async run(): Promise<CodeStatus | Reply<'POST /api/code/index'> | Reply<'POST /api/code/cancel'>> {
    const { args, flags } = await this.parse(CodeIndex)
    const project = this.projectOf(args.path)
    if (flags.cancel) return this.cancel(project)
    const started = await this.call('POST /api/code/index', {
      body: { project, full: flags.full, named: true },
    })
    if (flags.background) {
      if (!this.jsonEnabled()) printNote('Next: memory code status')
      return started
    }
    const request = { query: { project: started.project } }
    const status = await followIndex(() => call('GET /api/code/status', request, this.globals), started.jobId)
    if (status.job && status.job.state !== 'done') process.exitCode = exitCodes.failure.code
    if (!this.jsonEnabled()) print(indexedText(status, colorsFor()))
    return status
  }

  private async cancel(project: string | undefined): Promise<Reply<'POST /api/code/cancel'>> {
    const reply = await this.call('POST /api/code/cancel', { body: { project } })
    if (!this.jsonEnabled())
      print(reply.cancelled ? 'Cancelled; files indexed so far are kept' : 'No indexing job is running')
    return reply
  }
}
