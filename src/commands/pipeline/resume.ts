import { resumedText } from '../../cli/operations/pipeline.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class PipelineResume extends DaemonCommand {
  static override summary = 'Resume Dreaming after memory pipeline pause.'
  static override examples = ['<%= config.bin %> pipeline resume']

  async run(): Promise<Reply<'POST /api/pipeline/resume'>> {
    await this.parse(PipelineResume)
    const reply = await this.call('POST /api/pipeline/resume')
    if (!this.jsonEnabled()) print(resumedText(reply))
    return reply
  }
}
